import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Message } from '../../contract/index.ts'
import { withLockInTime } from '../async/withLockInTime.ts'
import type { KeepOptions, SessionScope } from '../identity/sessionScope.ts'
import type { OutboxEntry } from '../store/guards.ts'
import type { EditOutbox } from '../store/records.ts'
import { setState, updateState } from '../updateState.ts'
import type { ConversationDeps } from './deps.ts'
import type { LazyAttachments } from './lazyAttachments.ts'
import { cleanText, isBlank, maxMessageLength, messageLength } from './messageText.ts'
import { asWaiting, type PendingMessage, replaceEntry, type SendOptions, toStored } from './pendingMessage.ts'
import { createSendAttempts, postMessage, type SendAttempts } from './send.ts'

interface OutboxDeps extends ConversationDeps {
  /** The files of messages. */
  files: Pick<LazyAttachments, 'upload' | 'uploads'>
  /** Whether the message is among those that `MessageStore` shows. */
  isShown(id: string): boolean
  /** Called when the platform has accepted a message. */
  onAccepted(scope: SessionScope, message: Message): void
  /** Called when a change of the visitor's messages is in IndexedDB, where the other tabs find it. */
  onSaved(): void
}

/**
 * How long to wait while another tab sends. A suspended tab may do so for hours, so the next message waits for less. Two tabs
 * may send the same message: the platform stores it once. But they should not both upload its files.
 */
const waitMs = { first: 20_000, next: 1000, withFiles: 120_000 }

/** The visitor's messages until the platform has accepted them. They survive a reload and are sent one at a time. */
export class Outbox {
  readonly #deps: OutboxDeps
  readonly #pending = signal<readonly PendingMessage[]>([])
  /** Messages that the platform has accepted. They remain pending until `MessageStore` shows them. */
  #acceptedIds = new Set<string>()
  /**
   * Messages written in this page. Those of other tabs are never kept for the next session: their tab may have logged out.
   */
  readonly #writtenIds = new Set<string>()
  /** Messages that IndexedDB has, or had. */
  #savedIds = new Set<string>()
  /** The number of changes by this tab. */
  #changes = 0
  #scope: SessionScope | undefined
  /** The scope whose messages are being sent. */
  #flushing: SessionScope | undefined
  #waitMs = waitMs.first

  readonly pending: ReadonlySignal<readonly PendingMessage[]> = this.#pending

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  /**
   * Switches to another session. Nothing is sent until `restoreFromCache()`. `keepUnsent` keeps the messages that were
   * written in this page and not sent.
   */
  reset(scope: SessionScope, { keepUnsent }: KeepOptions): void {
    const isUnsent = ({ id }: PendingMessage) => this.#writtenIds.has(id) && !this.#acceptedIds.has(id)
    const unsent = keepUnsent ? this.#pending.peek().filter(isUnsent) : []
    this.#scope = scope
    this.#savedIds = new Set()
    this.#acceptedIds = new Set()
    setState(
      this.#pending,
      unsent.map(entry => (entry.status === 'failed' ? entry : asWaiting(entry))),
    )
  }

  /** Shows the stored messages, followed by those that the visitor has written meanwhile, and sends them. */
  restoreFromCache(stored: readonly OutboxEntry[]): void {
    const writtenMeanwhile = this.#pending.peek()
    for (const { id } of stored) this.#savedIds.add(id)
    updateState(() => {
      this.#pending.value = stored.map(toPending)
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
    const { createId, readContext, clock, finishDraft } = this.#deps
    const createdAt = new Date(clock.now()).toISOString()
    updateState(() => {
      const forgetDraft = finishesDraft ? finishDraft() : undefined
      const id = createId()
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
    for (const file of entry.files ?? []) this.#deps.files.uploads?.remove(file.id)
    void this.#delete(id).then(this.#deps.onSaved)
  }

  /** Takes over what other tabs have stored. What they have removed there was sent, or the visitor has deleted it. */
  async sync(): Promise<void> {
    const scope = this.#scope
    const changes = this.#changes
    let stored = undefined as readonly OutboxEntry[] | undefined
    if (scope) await this.#deps.records.read(scope.epoch, (_, entries) => (stored = entries))
    if (!stored || scope !== this.#scope || scope?.abortSignal.aborted) return
    // What was read may lack a change that this tab has made meanwhile.
    if (changes !== this.#changes) return this.sync()
    const ids = stored.map(({ id }) => id)
    for (const id of ids) this.#savedIds.add(id)
    const pending = this.#pending.peek()
    const entries = stored.flatMap(entry => {
      const known = pending.find(({ id }) => id === entry.id)
      if (known) return known.failure === entry.failure ? known : toPending(entry)
      return this.#acceptedIds.has(entry.id) || this.#deps.isShown(entry.id) ? [] : toPending(entry)
    })
    const others = pending.filter(({ id }) => !ids.includes(id))
    const kept = others.filter(({ id }) => !this.#savedIds.has(id) || this.#acceptedIds.has(id))
    setState(
      this.#pending,
      [...entries, ...kept].sort((one, other) => one.createdAt.localeCompare(other.createdAt)),
    )
    void this.flush()
  }

  /** Notes that the platform has accepted a message. It remains pending until `MessageStore` shows it. */
  accept(id: string): void {
    this.#acceptedIds.add(id)
  }

  /** Removes messages that the platform has accepted and `MessageStore` shows. */
  acknowledge(messages: readonly { id: string }[]): void {
    updateState(() => {
      for (const { id } of messages) {
        this.#acceptedIds.delete(id)
        if (this.#find(id)) void this.#delete(id)
      }
    })
  }

  /** Removes all accepted messages. Call it when the newest page is shown: they are in it, or older. */
  acknowledgeAccepted(): void {
    this.acknowledge([...this.#acceptedIds].map(id => ({ id })))
  }

  /** Sends the pending messages, also those of other tabs. */
  async flush(): Promise<void> {
    const scope = this.#scope
    if (!scope?.isReady.peek() || this.#flushing === scope) return
    this.#flushing = scope
    try {
      while (!scope.abortSignal.aborted) {
        const next = this.#unsent()[0]
        if (!next) break
        await this.#send(scope, next)
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
  sendBeforeLeaving(): void {
    const { api, canSend, setWorkPending } = this.#deps
    const token = this.#scope?.isReady.peek() && this.#scope.token
    const unsent = this.#unsent()
    if (!token && unsent.length) setWorkPending()
    if (!token || !canSend.peek()) return
    const credentials = { token, abortSignal: new AbortController().signal }
    // Uploads would take too long.
    const own = unsent.filter(({ id, files }) => this.#writtenIds.has(id) && !files)
    const last = own.findLastIndex(({ id }) => !this.#savedIds.has(id))
    for (const { id, text, context } of own.slice(0, last + 1))
      void api.sendLastMessage(credentials, () => true, { id, text, context })
  }

  async #send(scope: SessionScope, entry: PendingMessage): Promise<void> {
    const { acquireToken, backoff } = this.#deps
    const attempts = createSendAttempts(this.#deps, (status, more) => this.#mark(entry.id, status, more))
    this.#mark(entry.id, 'sending')
    const token = await acquireToken(scope, attempts.shouldStopRetrying)
    if (scope.abortSignal.aborted) return
    if (token) await this.#sendInTurn(scope, attempts, entry)
    else if (attempts.hasFailed()) this.#reportFailure(entry)
    // No token and no failure: the session is changing. Wait before the next attempt.
    else await backoff.wait(0, scope.abortSignal)
  }

  /** Delivers a message while no other tab sends, if none has sent it meanwhile. */
  async #sendInTurn(scope: SessionScope, attempts: SendAttempts, entry: PendingMessage): Promise<void> {
    const { clock, sharedPrefix } = this.#deps
    const { id, files } = entry
    const lockName = `${sharedPrefix}${scope.epoch}:send`
    const maxWaitMs = files ? waitMs.withFiles : this.#waitMs
    const since = clock.now()
    const isUnsent = () => this.#unsent().some(each => each.id === id)
    const run = async () => {
      this.#waitMs = clock.now() - since < maxWaitMs ? waitMs.first : waitMs.next
      // The page that wrote it may have sent it.
      if (isUnsent() && !this.#writtenIds.has(id)) await this.sync()
      if (isUnsent()) await this.#post(scope, attempts, entry)
    }
    await withLockInTime(this.#deps, lockName, scope.abortSignal, run, maxWaitMs)
  }

  async #post(scope: SessionScope, attempts: SendAttempts, entry: PendingMessage): Promise<void> {
    const credentials = scope.credentials(() => this.#deps.canSend.peek())
    const message = await postMessage(this.#deps, credentials, attempts, entry)
    if (scope.abortSignal.aborted) return
    if (message) this.#deps.onAccepted(scope, message)
    else if (attempts.hasFailed()) this.#reportFailure(entry)
  }

  #reportFailure({ files }: PendingMessage): void {
    if (files) this.#deps.files.uploads?.forget(files)
    this.#deps.emit('error', { code: 'message_failed' })
  }

  #unsent(): PendingMessage[] {
    return this.#pending.peek().filter(({ id, status }) => status !== 'failed' && !this.#acceptedIds.has(id))
  }

  #find(id: string): PendingMessage | undefined {
    return this.#pending.peek().find(entry => entry.id === id)
  }

  /** Changes the status of a message that isn't sent yet. Returns whether there is one. */
  #mark(id: string, status: PendingMessage['status'], more: Partial<PendingMessage> = {}): boolean {
    const entry = this.#find(id)
    if (!entry || this.#acceptedIds.has(id)) return false
    const next = { ...asWaiting(entry), ...more, status }
    this.#replace(id, next)
    if (next.failure === entry.failure) return true
    // Don't add a missing entry: another tab may have deleted it.
    void this.#store(entries => entries.map(each => (each.id === id ? toStored(next) : each))).then(this.#deps.onSaved)
    return true
  }

  /** Shows a message of this tab, at the end if it is new, and stores it with its files. */
  async #save(entry: PendingMessage): Promise<void> {
    this.#replace(entry.id, entry)
    const put = (files?: ReadonlyMap<string, Blob>) =>
      this.#store(entries => replaceEntry(entries, entry.id, [toStored(entry)]), files)
    const isStored = await put(entry.files && this.#deps.files.uploads?.blobsOf(entry.files))
    // There may be room for the text, though not for the files.
    if (isStored || (entry.files && (await put()))) this.#savedIds.add(entry.id)
    this.#deps.onSaved()
  }

  /** Resolves to whether the change is stored. */
  async #store(edit: EditOutbox, files?: ReadonlyMap<string, Blob>): Promise<boolean> {
    this.#changes++
    return !!this.#scope && this.#deps.records.putOutbox(this.#scope, edit, files)
  }

  /** Shows `next` instead of the message with that id, or at the end if there is none. */
  #replace(id: string, ...next: PendingMessage[]): void {
    setState(this.#pending, replaceEntry(this.#pending.peek(), id, next))
  }

  #delete(id: string): Promise<boolean> {
    this.#replace(id)
    return this.#store(entries => entries.filter(entry => entry.id !== id))
  }
}

const toPending = (entry: OutboxEntry): PendingMessage => ({ ...entry, status: entry.failure ? 'failed' : 'waiting' })
