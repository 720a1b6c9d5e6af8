import type { ReadonlySignal } from '@preact/signals-core'
import type { Attributes, Message } from '../../contract/index.ts'
import type { StopCondition } from '../api/apiClient.ts'
import type { SessionScope } from '../identity/sessionScope.ts'
import type { Deps } from './deps.ts'
import type { FinishedDraft } from './draft.ts'
import type { LazyAttachments } from './lazyAttachments.ts'

/** What the outbox needs from the rest of the widget. */
export interface OutboxDeps extends Pick<Deps, 'api' | 'backoff' | 'cache' | 'clock' | 'page' | 'emit'> {
  createMessageId(): string
  /** Returns the current facts about the visitor. */
  readContext(): Attributes | undefined
  /** Whether messages wait until the site has said whose they are. */
  isOnHold: ReadonlySignal<boolean>
  isPanelOpen: ReadonlySignal<boolean>
  /** Lets the next page load send the messages. Without a token it would load nothing until the chat is opened. */
  remindOfUnsent(): void
  /** Until when the messages of all tabs are the visitor's; `null` while the site is asked whose they are. */
  confirmedUntil: ReadonlySignal<number | null>
  /**
   * Waits while messages are on hold. Resolves to the scope's token, which it creates if needed, or to `null` if that fails.
   */
  acquireToken(scope: SessionScope, shouldStopRetrying: StopCondition): Promise<string | null>
  /** Empties the draft. */
  finishDraft(): FinishedDraft
  /** The files of messages. */
  files: Pick<LazyAttachments, 'upload' | 'forget' | 'discard' | 'blobsOf' | 'areExcluded'>
  /** Called when the platform has stored a message. */
  onStored(scope: SessionScope, message: Message): void
}
