import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Attributes, Message } from '../../contract/index.ts'
import type { StopCondition } from '../api/apiClient.ts'
import type { KeepOptions, SessionScope } from '../identity/sessionScope.ts'
import type { OutboxEntry } from '../store/guards.ts'
import type { ChangeOutbox } from '../store/records.ts'
import type { Deps } from './deps.ts'
import type { LazyAttachments } from './lazyAttachments.ts'
import { cleanText, isBlank, maxMessageLength, messageLength } from './messageText.ts'
import { asWaiting, type PendingMessage, replaceEntry, type SendOptions, toStored } from './pendingMessage.ts'
import { createSendAttempts, postMessage, SendQueue } from './send.ts'
import { setState, updateState } from './updateState.ts'

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

const noLeadership = AbortSignal.abort(0)

/** The visitor's messages until the platform has stored them. They survive a reload and are sent one at a time. */
export class Outbox {
  readonly #deps: OutboxDeps
  readonly #pending = signal<readonly PendingMessage[]>([])
  /** Messages that the platform has stored. They remain pending until `MessageStore` shows them. */
  #acceptedIds = new Set<string>()
  /**
   * Messages written in this page. Those of other tabs are never kept for the next session: their tab may have logged out.
   */
  readonly #writtenIds = new Set<string>()
  /** The scope whose messages are stored. */
  #storedIn: SessionScope | undefined
  /** Messages of this page that IndexedDB has. */
  #storedIds = new Set<string>()
  /** The scope whose messages may be sent. */
  #scope: SessionScope | undefined
  /** The scope whose messages are being sent. */
  #flushing: SessionScope | undefined
  readonly #queue = new SendQueue(() => this.flush())
  /** Not aborted while this tab is the leader, which sends the messages of all tabs. */
  #leadership = noLeadership

  readonly pending: ReadonlySignal<readonly PendingMessage[]> = this.#pending

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  /**
   * Switches to another session. Nothing is sent until `restoreFromCache()`. `keepUnsent` keeps the messages that were
   * written in this page and not sent.
   */
  reset(scope: SessionScope, { keepUnsent }: KeepOptions = { keepUnsent: false }): void {
    const isUnsent = ({ id }: PendingMessage) => this.#writtenIds.has(id) && !this.#acceptedIds.has(id)
    const unsent = keepUnsent ? this.#pending.peek().filter(isUnsent) : []
    // The former scope must not stay in memory: it holds the token.
    this.#scope = undefined
    this.#storedIn = scope
    this.#storedIds = new Set()
    this.#acceptedIds = new Set()
    this.#queue.reset()
    // Listeners of the old signal would keep the old scope in memory.
    this.#leadership = noLeadership
    setState(
      this.#pending,
      unsent.map(entry => (entry.status === 'failed' ? entry : asWaiting(entry))),
    )
  }

  /** Shows the stored messages, followed by those that the visitor has written meanwhile, and sends them. */
  restoreFromCache(scope: SessionScope, stored: readonly OutboxEntry[]): void {
    const writtenMeanwhile = this.#pending.peek()
    this.#scope = scope
    updateState(() => {
      this.#pending.value = stored.map(entry => ({ ...entry, status: entry.failure ? 'failed' : 'waiting' }))
      for (const entry of writtenMeanwhile) void this.#save(entry)
    })
    void this.flush()
  }

  /**
   * Puts a text of 1 to 4000 code points into the outbox and returns at once. With `files` it may be empty. `finishesDraft`
   * empties the draft; storage keeps its text until it has the message.
   */
  send = (text: string, { finishesDraft = false, files = [] }: SendOptions = {}): void => {
    const { canWrite, noteSent } = this.#deps
    const clean = cleanText(text)
    if (!canWrite.peek() || (isBlank(clean) && !files.length) || messageLength(clean) > maxMessageLength) return
    noteSent()
    const { createMessageId, readContext, clock, finishDraft } = this.#deps
    const createdAt = new Date(clock.now()).toISOString()
    updateState(() => {
      const forgetDraft = finishesDraft ? finishDraft() : undefined
      const id = createMessageId()
      const entry = { id, text: clean, status: 'waiting', createdAt, context: readContext() } as const
      this.#writtenIds.add(id)
      void this.#save(files.length ? { ...entry, files } : entry).then(forgetDraft)
    })
    void this.flush()
  }

  retry = (id: string): void => {
    this.#mark(id, 'waiting')
    void this.flush()
  }

  remove = (id: string): void => {
    const entry = this.#find(id)
    if (entry?.status !== 'failed') return
    if (entry.files) this.#deps.files.discard(entry.files)
    this.#delete(id)
  }

  /** Removes messages that the platform has stored and `MessageStore` shows. */
  acknowledge(messages: readonly { id: string }[]): void {
    updateState(() => {
      for (const { id } of messages) {
        this.#acceptedIds.delete(id)
        if (this.#find(id)) this.#delete(id)
      }
    })
  }

  /** Removes all accepted messages. Call it when the newest page is shown: they are in it, or older. */
  acknowledgeAccepted(): void {
    this.acknowledge([...this.#acceptedIds].map(id => ({ id })))
  }

  /** Sends the pending messages, if this tab is the one that sends. */
  async flush(): Promise<void> {
    const scope = this.#scope
    if (!scope || this.#flushing === scope) return
    this.#flushing = scope
    try {
      while (!scope.abortSignal.aborted) {
        const next = this.#nextToSend(scope)
        if (!next) break
        await this.#queue.run(next.id, letNextBegin => this.#deliver(scope, next, letNextBegin))
      }
    } catch (error) {
      reportError(error)
    } finally {
      // If this stayed set, nothing would ever be sent again.
      if (this.#flushing === scope) this.#flushing = undefined
    }
  }

  /**
   * Sends the messages that IndexedDB doesn't have, and those before them, because the page is being left. Nothing waits for
   * the responses.
   */
  leave(): void {
    const { api, canSend, remindOfUnsent } = this.#deps
    const token = this.#scope?.token
    const unsent = this.#unsent()
    if (!token && unsent.length) remindOfUnsent()
    if (!token || !canSend.peek()) return
    const credentials = { token, abortSignal: new AbortController().signal }
    // Uploads would take too long.
    const own = unsent.filter(({ id, files }) => this.#writtenIds.has(id) && !files)
    const last = own.findLastIndex(({ id }) => !this.#storedIds.has(id))
    for (const { id, text, context } of own.slice(0, last + 1))
      void api.sendLastMessage(credentials, () => true, { id, text, context })
  }

  /** Makes this tab the one that sends, until `abortSignal` aborts. */
  takeLeadership(abortSignal: AbortSignal): void {
    this.#leadership = abortSignal
    void this.flush()
  }

  isLeader = (): boolean => !this.#leadership.aborted

  /**
   * Shows `next` instead of the message with that id, or at the end if there is none. It saves nothing, because the tab
   * that made the change saves it.
   */
  replace(id: string, ...next: PendingMessage[]): void {
    setState(this.#pending, replaceEntry(this.#pending.peek(), id, next))
  }

  #nextToSend(scope: SessionScope): PendingMessage | undefined {
    // Without a token there is no stream, hence no leader: every tab may send.
    if (scope.token && this.#leadership.aborted) return undefined
    // Include `sending` messages: the former leader may have died while it sent them.
    return this.#unsent().find(({ id }) => !this.#queue.has(id))
  }

  async #deliver(scope: SessionScope, entry: PendingMessage, letNextBegin: () => void): Promise<void> {
    const { acquireToken, backoff, canSend, emit, files: uploads, onStored } = this.#deps
    const { id, files } = entry
    const attempts = createSendAttempts(this.#deps, (status, more) => this.#mark(id, status, more))
    this.#mark(id, 'sending')
    const token = await acquireToken(scope, attempts.shouldStopRetrying)
    // The session may have ended meanwhile; `#leadership` may belong to the next one.
    if (scope.abortSignal.aborted) return
    const credentials = token && { token, abortSignal: this.#leadership, isWanted: () => canSend.peek() }
    const message = credentials && (await postMessage(this.#deps, credentials, attempts, entry, letNextBegin))
    if (scope.abortSignal.aborted) return
    if (message) {
      this.#acceptedIds.add(id)
      onStored(scope, message)
    } else if (attempts.hasFailed()) {
      if (files) uploads.forget(files)
      emit('error', { code: 'message_failed' })
    }
    // No token and no failure: the session is changing. Wait before the next attempt.
    else if (!token) await backoff.wait(0, scope.abortSignal)
  }

  #unsent(): PendingMessage[] {
    return this.#pending.peek().filter(({ id, status }) => status !== 'failed' && !this.#acceptedIds.has(id))
  }

  #find(id: string): PendingMessage | undefined {
    return this.#pending.peek().find(entry => entry.id === id)
  }

  #mark(id: string, status: PendingMessage['status'], more: Partial<PendingMessage> = {}): void {
    const entry = this.#find(id)
    if (!entry) return
    const next = { ...asWaiting(entry), ...more, status }
    this.replace(id, next)
    if (next.failure === entry.failure) return
    // Don't add a missing entry: another tab may have deleted it.
    void this.#store(entries => entries.map(each => (each.id === id ? toStored(next) : each)))
  }

  /** Shows a message of this tab, at the end if it is new, and stores it with its files. */
  async #save(entry: PendingMessage): Promise<void> {
    this.replace(entry.id, entry)
    const put = (files?: ReadonlyMap<string, Blob>) =>
      this.#store(entries => replaceEntry(entries, entry.id, [toStored(entry)]), files)
    const isStored = await put(entry.files && this.#deps.files.blobsOf(entry.files))
    // There may be room for the text, though not for the files.
    if (isStored || (entry.files && (await put()))) this.#storedIds.add(entry.id)
  }

  /** Resolves to whether the change is stored. */
  async #store(change: ChangeOutbox, files?: ReadonlyMap<string, Blob>): Promise<boolean> {
    return !!this.#storedIn && this.#deps.records.putOutbox(this.#storedIn, change, files)
  }

  #delete(id: string): void {
    this.replace(id)
    void this.#store(entries => entries.filter(entry => entry.id !== id))
  }
}
