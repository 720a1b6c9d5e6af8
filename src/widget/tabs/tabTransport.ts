import type { StreamEvent } from '../../contract/index.ts'
import type { Connection, PendingMessage } from '../models/conversation/conversation.ts'

/**
 * What tabs tell each other. They may have loaded the widget at different times: where a form here changes, the number
 * in the seat's name does too, and tabs of either form keep to themselves.
 */
export type TabMessage =
  /** Somebody has come: who leads says how things stand. */
  | { is: 'hello' }
  /** From the tab that leads; `seq` is its last message. */
  | { is: 'heartbeat'; connection: Connection; seq: number; hidden: boolean }
  | { is: 'event'; event: StreamEvent }
  /** An own message as it stands now; without an entry it goes. */
  | { is: 'entry'; id: string; entry?: PendingMessage | undefined }
  /** Own messages that were written before this tab had company. */
  | { is: 'entries'; entries: readonly PendingMessage[] }
  | { is: 'draft'; text: string }
  | { is: 'read'; seq: number }

/** The other tabs of the origin, as the browser connects them. */
export interface TabTransport {
  /** Opens the channel of that name, on which a tab doesn't hear itself. */
  open(name: string, hear: (tabMessage: TabMessage) => void): { say(tabMessage: TabMessage): void; close(): void }
  /** Runs `fn` while no other tab runs one of that name; `steal` ends another's, whose `hold` then rejects. */
  hold(name: string, how: { steal: true } | { signal: AbortSignal }, fn: () => Promise<void>): Promise<void>
  /** This tab can't be seen. */
  hidden(): boolean
}

export const browserTabTransport: TabTransport = {
  open(name, hear) {
    const channel = new BroadcastChannel(name)
    channel.onmessage = ({ data }) => hear(data as TabMessage)
    return { say: tabMessage => channel.postMessage(tabMessage), close: () => channel.close() }
  },
  hold: async (name, how, fn) => navigator.locks.request(name, how, fn),
  hidden: () => document.hidden,
}
