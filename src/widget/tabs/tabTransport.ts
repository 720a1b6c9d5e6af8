import type { ConversationEvent } from '../api/eventStream.ts'
import { getFromDocument } from '../loader/documentAccess.ts'
import type { Connection, PendingMessage } from '../models/conversation/conversation.ts'
import type { DraftVersion } from '../storage/guards.ts'

/**
 * What tabs tell each other. They may have loaded the widget at different times: whoever changes these types also changes
 * the number in the channel's name, so that tabs of both versions keep to themselves.
 */
export type TabMessage =
  /** A tab has joined: the leader answers with how things stand. */
  | { type: 'hello' }
  /** From the leader, with its last message. */
  | { type: 'heartbeat'; connection: Connection; lastSeq: number; isHidden: boolean }
  | { type: 'event'; event: ConversationEvent }
  /** An own message as it stands now; without `pending` it is gone. */
  | { type: 'pendingMessage'; id: string; pending?: PendingMessage | undefined }
  /** Own messages in the order of writing, of which the receiver may not know the earlier ones. */
  | { type: 'pendingMessages'; pending: readonly PendingMessage[] }
  | { type: 'draft'; version: DraftVersion }
  | { type: 'read'; seq: number }

/** The other tabs of the origin, as the browser connects them. */
export interface TabTransport {
  /** Opens a channel. A tab doesn't hear itself. */
  openChannel(
    name: string,
    onMessage: (message: TabMessage) => void,
  ): { post(message: TabMessage): void; close(): void }
  /**
   * Runs `callback` while no other tab holds the lock of that name. `steal` takes it from its holder, whose promise then
   * rejects; `signal` ends the wait for it.
   */
  requestLock(
    name: string,
    options: { steal: true } | { signal: AbortSignal },
    callback: () => Promise<void>,
  ): Promise<void>
  /** The visitor can't see this tab. */
  isHidden(): boolean
}

export const browserTabTransport: TabTransport = {
  openChannel(name, onMessage) {
    const channel = new BroadcastChannel(name)
    channel.onmessage = ({ data }) => onMessage(data as TabMessage)
    return { post: message => channel.postMessage(message), close: () => channel.close() }
  },
  requestLock: async (name, options, callback) => navigator.locks.request(name, options, callback),
  isHidden: () => getFromDocument('hidden'),
}
