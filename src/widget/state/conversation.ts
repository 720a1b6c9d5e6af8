import type { ReadonlySignal } from '@preact/signals-core'
import type { BotFace, Message } from '../../contract/index.ts'

/** An own message on its way: `waiting` in the outbox, `sending`, or `failed` until the visitor decides. */
export interface PendingMessage {
  id: string
  text: string
  status: 'waiting' | 'sending' | 'failed'
  /** Why it failed: `rejected` by the platform, or `network` after all retries. */
  failure?: 'rejected' | 'network'
  createdAt: string
}

/** A reply that is being streamed. */
export interface PartialReply {
  id: string
  text: string
}

/** `idle` before anything is needed; `offline` when the browser says so. */
export type Connection = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'offline'

/** What is said: stored messages, own ones under way, and the reply that is coming. */
export interface ConversationModel {
  /** The bot's public face; `unavailable` where the platform doesn't know it or doesn't answer. */
  readonly bot: ReadonlySignal<BotFace | null>
  readonly botStatus: ReadonlySignal<'loading' | 'ready' | 'unavailable'>
  /** Stored messages, ascending, without gaps. */
  readonly messages: ReadonlySignal<readonly Message[]>
  /** Own messages that are not stored yet, in the order of sending; shown behind `messages`. */
  readonly pending: ReadonlySignal<readonly PendingMessage[]>
  readonly partial: ReadonlySignal<PartialReply | null>
  readonly typing: ReadonlySignal<'bot' | 'agent' | null>
  readonly connection: ReadonlySignal<Connection>
  /** `complete`: the first message is there. */
  readonly history: ReadonlySignal<'loading' | 'more' | 'failed' | 'complete'>
  readonly readSeq: ReadonlySignal<number>
  /** Messages by others after `readSeq`. */
  readonly unread: ReadonlySignal<number>
  /** Loads the page of older messages, or tries again what failed. */
  loadOlder(): Promise<void>
  /** Fetches the bot's face again. */
  retryBot(): Promise<void>
  /** Puts a text of 1–4000 code points into the outbox; returns at once. */
  send(text: string): void
  retry(id: string): void
  remove(id: string): void
  /** All that is shown has been seen. */
  markRead(): void
}
