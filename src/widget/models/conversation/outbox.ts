import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Attributes, Message } from '../../../contract/index.ts'
import type { ShouldStopRetrying } from '../../api/apiClient.ts'
import type { DraftVersion, OutboxEntry } from '../../storage/guards.ts'
import { mergeDrafts } from '../mergeDrafts.ts'
import { cacheScopeOf, type Deps, type SessionScope } from '../session/sessionScope.ts'
import { updateState } from '../updateState.ts'

/** An own message on its way: `waiting` in the outbox, `sending`, or `failed` until the visitor decides. */
export interface PendingMessage {
  id: string
  text: string
  status: 'waiting' | 'sending' | 'failed'
  /** Why it failed: `rejected` by the platform, or `network` after all retries. */
  failure?: 'rejected' | 'network' | undefined
  /** When a `waiting` message that exceeded the rate limit is sent again. */
  resumesAt?: string | undefined
  createdAt: string
  /** What was known of the visitor when it was written; for the organization alone. */
  context?: Attributes | undefined
}

export interface OutboxDeps extends Pick<Deps, 'api' | 'backoff' | 'cache' | 'clock' | 'page' | 'emit'> {
  createMessageId(): string
  /** What the page says of the visitor at this moment. */
  readContext(): Attributes | undefined
  /** The scope's token, made on first need; `null` where there is none to be had. */
  acquireToken(scope: SessionScope, shouldStopRetrying: ShouldStopRetrying): Promise<string | null>
  /** Empties the draft; what is returned is stored together with the message. */
  finishDraft(): DraftVersion
  /** The platform has stored a message. */
  onStored(scope: SessionScope, message: Message): void
}

/** Of a message after trimming, in code points, as the platform counts. */
const maxLength = 4000
/** With backoff these take some minutes. Failures without a network don't count. */
const maxTries = 10
const noLeadership = AbortSignal.abort(0)

/** Own messages until the platform has them: kept over reloads, sent one after the other. */
export class Outbox {
  readonly #deps: OutboxDeps
  readonly #pending = signal<readonly PendingMessage[]>([])
  /** The platform has these, which are shown as pending until they have their place among the stored messages. */
  #acceptedIds = new Set<string>()
  /** Written in this page. What has come from other tabs goes with the session: its tab may have logged out. */
  readonly #writtenIds = new Set<string>()
  /** Whose messages may be sent. */
  #scope: SessionScope | undefined
  /** Where to save them; known earlier than the permission to send. */
  #cacheScope: SessionScope | undefined
  /** The scope whose messages are being sent. */
  #flushing: SessionScope | undefined
  /** Until this is aborted, this is the one tab of the origin that sends. */
  #leadership = noLeadership

  readonly pending: ReadonlySignal<readonly PendingMessage[]> = this.#pending
  readonly maxLength: number = maxLength

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  /**
   * Another session: nothing is sent until `restoreFromCache`. With `keepUnsent` the page's own unsent messages go on, from
   * memory, into the next session.
   */
  reset(scope: SessionScope, { keepUnsent = false }: { keepUnsent?: boolean } = {}): void {
    const isUnsent = ({ id }: PendingMessage) => this.#writtenIds.has(id) && !this.#acceptedIds.has(id)
    const unsent = keepUnsent ? this.#pending.peek().filter(isUnsent) : []
    this.#scope = undefined
    this.#cacheScope = cacheScopeOf(scope)
    this.#acceptedIds = new Set()
    // Listeners of the old signal would keep the old scope in memory.
    this.#leadership = noLeadership
    updateState(() => {
      this.#pending.value = unsent.map(entry => (entry.status === 'failed' ? entry : asWaiting(entry)))
    })
  }

  /** It is certain whose messages these are: what is stored comes before what has been written meanwhile. */
  restoreFromCache(scope: SessionScope, stored: readonly OutboxEntry[]): void {
    const writtenMeanwhile = this.#pending.peek()
    this.#scope = this.#cacheScope = scope
    updateState(() => {
      this.#pending.value = stored.map(entry => ({ ...entry, status: entry.failure ? 'failed' : 'waiting' }))
      for (const entry of writtenMeanwhile) this.#save(entry)
    })
    void this.flush()
  }

  /**
   * Puts a text of 1 to 4000 code points into the outbox and returns at once. With `finishesDraft` the draft is
   * emptied in the same transaction: a reload in between must neither lose nor repeat the text.
   */
  send = (text: string, { finishesDraft = false }: { finishesDraft?: boolean } = {}): void => {
    // The platform refuses NUL and unpaired surrogates. `toWellFormed` is missing in Firefox 115.
    const clean = text
      .replace(/\0/g, '')
      .replace(/\p{Surrogate}/gu, '\ufffd')
      .trim()
    if (!clean || [...clean].length > maxLength) return
    const { createMessageId, readContext, clock, finishDraft } = this.#deps
    const createdAt = new Date(clock.now()).toISOString()
    updateState(() => {
      const finished = finishesDraft ? finishDraft() : undefined
      const id = createMessageId()
      this.#writtenIds.add(id)
      this.#save({ id, text: clean, status: 'waiting', createdAt, context: readContext() }, finished)
    })
    void this.flush()
  }

  retry = (id: string): void => {
    this.#mark(id, 'waiting')
    void this.flush()
  }

  remove = (id: string): void => {
    if (this.#find(id)?.status !== 'sending') this.#delete(id)
  }

  /** The platform has stored these messages, and they are shown as such. */
  acknowledge(messages: readonly { id: string }[]): void {
    updateState(() => {
      for (const { id } of messages) {
        this.#acceptedIds.delete(id)
        if (this.#find(id)) this.#delete(id)
      }
    })
  }

  /** The newest page is shown: accepted messages are in it, or older than it. */
  acknowledgeAccepted(): void {
    this.acknowledge([...this.#acceptedIds].map(id => ({ id })))
  }

  /** Sends what waits, if it is this tab that sends. */
  async flush(): Promise<void> {
    const scope = this.#scope
    if (!scope || this.#flushing === scope) return
    this.#flushing = scope
    try {
      while (!scope.abortSignal.aborted) {
        const next = this.#nextToSend(scope)
        if (!next) break
        await this.#deliver(scope, next)
      }
    } catch (error) {
      reportError(error)
    } finally {
      // Otherwise nothing would ever be sent again.
      if (this.#flushing === scope) this.#flushing = undefined
    }
  }

  /** This tab sends from now on, until `abortSignal`. */
  takeLeadership(abortSignal: AbortSignal): void {
    this.#leadership = abortSignal
    void this.flush()
  }

  isLeader = (): boolean => !this.#leadership.aborted

  /**
   * Shows `next` in place of the message, or at the end if there is none of that id. It stores nothing: what another tab has
   * changed, that tab stores.
   */
  replace(id: string, ...next: PendingMessage[]): void {
    updateState(() => {
      this.#pending.value = replaceEntry(this.#pending.peek(), id, next)
    })
  }

  #nextToSend(scope: SessionScope): PendingMessage | undefined {
    // Without a token there is no stream, and every tab may send.
    if (scope.token && this.#leadership.aborted) return undefined
    // What is `sending` was sent by a tab that leads no longer.
    return this.#pending.peek().find(({ id, status }) => status !== 'failed' && !this.#acceptedIds.has(id))
  }

  async #deliver(scope: SessionScope, { id, text, context }: PendingMessage): Promise<void> {
    const { api, acquireToken, backoff, emit, onStored } = this.#deps
    const attempts = this.#createRetryPolicy(id)
    this.#mark(id, 'sending')
    const token = await acquireToken(scope, attempts.shouldStopRetrying)
    // The session may have ended meanwhile, and the leadership may be the next session's.
    if (scope.abortSignal.aborted) return
    const message =
      token &&
      (await api.sendMessage({ token, abortSignal: this.#leadership }, attempts.shouldStopRetrying, {
        id,
        text,
        context,
      }))
    if (scope.abortSignal.aborted) return
    if (message) {
      this.#acceptedIds.add(id)
      onStored(scope, message)
    } else if (attempts.hasFailed()) emit('error', { code: 'message_failed' })
    // There is no token, and no failure has been shown.
    else if (!token) await backoff.wait(0, scope.abortSignal)
  }

  /** Decides after each failed attempt, and shows how the message stands. */
  #createRetryPolicy(id: string) {
    const { clock, page } = this.#deps
    let failure: PendingMessage['failure']
    let countedTries = 0
    const shouldStopRetrying: ShouldStopRetrying = ({ status, transient, ended, retryAfterMs }) => {
      if (ended) return false
      if (page.online()) countedTries++
      failure = transient ? (countedTries > maxTries ? 'network' : undefined) : 'rejected'
      const resumesAt = status === 429 && retryAfterMs ? new Date(clock.now() + retryAfterMs).toISOString() : undefined
      if (failure) this.#mark(id, 'failed', { failure })
      else this.#mark(id, 'waiting', { resumesAt })
      return failure !== undefined
    }
    return { shouldStopRetrying, hasFailed: () => failure !== undefined }
  }

  #find(id: string): PendingMessage | undefined {
    return this.#pending.peek().find(entry => entry.id === id)
  }

  #mark(
    id: string,
    status: PendingMessage['status'],
    more: Partial<Pick<PendingMessage, 'failure' | 'resumesAt'>> = {},
  ): void {
    const entry = this.#find(id)
    if (!entry) return
    const next = { ...asWaiting(entry), ...more, status }
    this.replace(id, next)
    // Another tab may have seen it stored, or deleted it: then it must not come back.
    this.#updateCache(entries => entries.map(each => (each.id === id ? next : each)))
  }

  /** Shows and keeps a message, at the end if it is new. Messages of other tabs are left as they are. */
  #save(entry: PendingMessage, finishedDraft?: DraftVersion): void {
    this.replace(entry.id, entry)
    this.#updateCache(entries => replaceEntry<OutboxEntry>(entries, entry.id, [entry]), finishedDraft)
  }

  #delete(id: string): void {
    this.replace(id)
    this.#updateCache(entries => entries.filter(entry => entry.id !== id))
  }

  #updateCache(
    change: (entries: readonly OutboxEntry[]) => readonly OutboxEntry[],
    finishedDraft?: DraftVersion,
  ): void {
    if (!this.#cacheScope) return
    void this.#deps.cache.put(
      this.#cacheScope.epoch,
      ({ outbox }) => ({ outbox: change(outbox) }),
      finishedDraft && (draft => mergeDrafts(draft, finishedDraft)),
    )
  }
}

const asWaiting = (entry: PendingMessage): PendingMessage => ({
  ...entry,
  status: 'waiting',
  failure: undefined,
  resumesAt: undefined,
})

/** The list with `next` in place of the entry with that id, or at the end if there is none. */
function replaceEntry<Entry extends { id: string }>(list: readonly Entry[], id: string, next: Entry[]): Entry[] {
  const isKnown = list.some(entry => entry.id === id)
  return isKnown ? list.flatMap(entry => (entry.id === id ? next : [entry])) : [...list, ...next]
}
