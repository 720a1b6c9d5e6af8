import type { ReadonlySignal } from '@preact/signals-core'
import type { Attributes, Message } from '../../contract/index.ts'
import type { StopCondition } from '../api/apiClient.ts'
import type { SessionScope } from '../identity/sessionScope.ts'
import type { Deps } from './deps.ts'
import type { LazyAttachments } from './lazyAttachments.ts'

/** What the outbox needs from the rest of the widget. */
export interface OutboxDeps extends Pick<Deps, 'api' | 'backoff' | 'records' | 'clock' | 'page' | 'emit'> {
  createMessageId(): string
  /** Returns the current facts about the visitor. */
  readContext(): Attributes | undefined
  /** Whether the visitor may write. What is sent otherwise is dropped. */
  canWrite: ReadonlySignal<boolean>
  /** Whether messages are sent. They wait until the site has said whose they are. */
  canSend: ReadonlySignal<boolean>
  /** Called when the visitor sends something. */
  noteSent(): void
  /** Lets the next page load send the messages. Without a token it would load nothing until the chat is opened. */
  remindOfUnsent(): void
  /** Waits until messages are sent. Resolves to the scope's token, which it creates if needed, or to `null` if that fails. */
  acquireToken(scope: SessionScope, shouldStopRetrying: StopCondition): Promise<string | null>
  /** Empties the draft. Returns a function that removes it from storage. */
  finishDraft(): () => void
  /** The files of messages. */
  files: Pick<LazyAttachments, 'upload' | 'forget' | 'discard' | 'blobsOf'>
  /** Called when the platform has stored a message. */
  onStored(scope: SessionScope, message: Message): void
}
