import type { ConversationEvent } from '../api/eventStream.ts'
import type { Connection, PendingMessage } from '../conversation/conversation.ts'

/**
 * The messages between tabs. Tabs may run different versions of the widget: if you change these types, also change the
 * number in the channel's name, so that tabs of different versions don't talk to each other.
 */
export type TabMessage =
  /** A tab has joined. The leader answers with its state. */
  | { type: 'hello' }
  /** Sent by the leader only. `lastSeq` is the `seq` of its last message, `revision` that of its changes. */
  | { type: 'heartbeat'; connection: Connection; lastSeq: number; revision: number; isHidden: boolean }
  | { type: 'event'; event: ConversationEvent }
  /** The current state of a pending message. Without `pending` it is no longer pending. */
  | { type: 'pendingMessage'; id: string; pending?: PendingMessage | undefined }
  /** Pending messages in the order of writing. The receiver adds those that it doesn't have. */
  | { type: 'pendingMessages'; pending: readonly PendingMessage[] }
  | { type: 'read'; seq: number }

/** The browser's means of communication between tabs of an origin. */
export interface TabTransport {
  /** Opens a channel. A tab doesn't receive its own messages. */
  openChannel(
    name: string,
    onMessage: (message: TabMessage) => void,
  ): { post(message: TabMessage): void; close(): void }
  /**
   * Runs `callback` while this tab holds the lock. `steal` takes the lock from its holder, whose promise then rejects;
   * `signal` ends the wait for the lock.
   */
  requestLock(
    name: string,
    options: { steal: true } | { signal: AbortSignal },
    callback: () => Promise<void>,
  ): Promise<void>
  /** Whether the visitor can't see this tab. */
  isHidden(): boolean
}

export const browserTabTransport: TabTransport = {
  openChannel(name, onMessage) {
    const channel = new BroadcastChannel(name)
    channel.onmessage = ({ data }) => onMessage(data as TabMessage)
    return { post: message => channel.postMessage(message), close: () => channel.close() }
  },
  requestLock: async (name, options, callback) => navigator.locks.request(name, options, callback),
  isHidden: () => document.hidden,
}
