import type { ReadonlySignal } from '@preact/signals-core'
import type { Attributes, StreamEvent } from '../../contract/index.ts'
import type { ApiClient, StopCondition } from '../api/apiClient.ts'
import type { Backoff } from '../api/backoff.ts'
import type { Clock } from '../environment/clock.ts'
import type { Page } from '../environment/page.ts'
import type { SessionScope } from '../identity/sessionScope.ts'
import type { Emitter } from '../loader/events.ts'
import type { Records } from '../store/records.ts'

/** The dependencies of the models. Tests pass their own. */
export interface Deps {
  api: ApiClient
  clock: Clock
  page: Page
  backoff: Backoff
  records: Records
  emit: Emitter['emit']
  /** Aborted when the widget is destroyed. */
  abortSignal: AbortSignal
}

/** What the models of a conversation need besides. */
export interface ConversationDeps extends Deps {
  createId(): string
  /** What the names of locks and channels begin with. The epoch is appended, so all of them are of one visitor. */
  sharedPrefix: string
  /** Returns the current facts about the visitor. */
  readContext(): Attributes | undefined
  /** Whether the visitor may write. What is written otherwise is dropped. */
  canWrite: ReadonlySignal<boolean>
  /** Whether messages, and the files for them, are sent. They wait until the site has said whose they are. */
  canSend: ReadonlySignal<boolean>
  /** Called when the visitor sends something. */
  noteSent(): void
  /** Lets the next page load send the messages. Without a token it would load nothing until the chat is opened. */
  setWorkPending(): void
  /** Waits until messages are sent. Resolves to the scope's token, which it creates if needed, or to `null` if that fails. */
  acquireToken(scope: SessionScope, shouldStopRetrying: StopCondition): Promise<string | null>
  /** Empties the draft. Returns a function that removes it from storage. */
  finishDraft(): () => void
  /** Called when the bot's profile can't be fetched: the platform can't be reached, or refuses this page's origin. */
  onRefused(): void
  /** Tries again to restore the session. */
  retryRestore(): void
  /** Called when the platform has ended the session. */
  onEnded(scope: SessionScope, reason: Extract<StreamEvent, { event: 'session.ended' }>['data']['reason']): void
}
