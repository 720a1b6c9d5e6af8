import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { ConversationState, Message, MessageChange, MessagePage } from '../../contract/index.ts'
import type { StopCondition } from '../api/apiClient.ts'
import type { SessionScope } from '../identity/sessionScope.ts'
import type { Transcript } from '../store/guards.ts'
import { setState, updateState } from '../updateState.ts'
import type { ConversationDeps } from './deps.ts'

/** `complete`: the first message of the conversation is loaded, or the platform has deleted everything older. */
export type HistoryStatus = 'loading' | 'more' | 'failed' | 'complete'

interface MessageStoreDeps extends ConversationDeps {
  /** Called in the batch that shows `messages`, so that no message is shown as stored and pending at once. */
  onShow(messages: readonly Message[]): void
  /** Called after that batch. */
  onShown(messages: readonly Message[]): void
  /** Called when the newest page has been fetched and is shown. */
  onCaughtUp(): void
}

/** How many messages are kept in IndexedDB. */
const maxCachedMessages = 100

/** The loaded part of the stored messages: it ends with the newest known message and has no gaps. */
export class MessageStore {
  readonly #deps: MessageStoreDeps
  readonly #messages = signal<readonly Message[]>([])
  readonly #history = signal<HistoryStatus>('loading')
  #scope: SessionScope | undefined
  /** The scope whose newest page is being fetched. */
  #catchingUp: SessionScope | undefined
  /** A newer message was reported while the newest page was being fetched. */
  #needsAnotherRound = false
  /** The newest page could not be fetched, so the next attempt begins with it. */
  #isBehind = false
  /** Whether the last attempt to catch up has failed. */
  #isFailing = false
  /** The loaded messages contain all changes up to this revision of the conversation, and perhaps later changes by this tab. */
  #revision = 0
  /** The platform has no messages before this `seq`: the conversation begins here, or the older ones have been deleted. */
  #firstKeptSeq = 1

  /** Ascending by `seq`. */
  readonly messages: ReadonlySignal<readonly Message[]> = this.#messages
  readonly history: ReadonlySignal<HistoryStatus> = this.#history

  constructor(deps: MessageStoreDeps) {
    this.#deps = deps
  }

  lastSeq(): number {
    return this.#messages.peek().at(-1)?.seq ?? 0
  }

  revision(): number {
    return this.#revision
  }

  has(id: string): boolean {
    return this.#messages.peek().some(message => message.id === id)
  }

  /** Switches to another session and clears everything. */
  reset(scope: SessionScope): void {
    this.#scope = scope
    this.#catchingUp = undefined
    this.#isBehind = false
    this.#firstKeptSeq = 1
    this.#revision = 0
    updateState(() => {
      this.#messages.value = []
      this.#history.value = 'loading'
    })
  }

  /**
   * Shows the cached messages, unless the platform has changed any of them since, for example removed one. If they go beyond
   * the platform's last `seq`, they belong to another conversation.
   */
  restoreFromCache(stored: Transcript, { lastSeq, revision }: Pick<ConversationState, 'lastSeq' | 'revision'>): void {
    this.#revision = revision
    const isCurrent = (stored.messages.at(-1)?.seq ?? 0) <= lastSeq && stored.revision === revision
    updateState(() => {
      if (isCurrent) this.#messages.value = stored.messages
      // What was removed must not stay in the cache until the newest page arrives.
      else this.#set([])
      if (this.lastSeq() === lastSeq) this.#updateHistory()
    })
  }

  /** Shows a new message. If messages before it are missing, the newest page is fetched instead. */
  receive(scope: SessionScope, message: Message): void {
    const isNext = message.seq === this.lastSeq() + 1
    if (isNext && this.#catchingUp !== scope) this.#show([...this.#messages.peek(), message])
    else void this.catchUp(scope)
  }

  /**
   * Shows a stored message as the platform has changed it. `isOwn`: this tab has asked for the change, and changes before it may
   * still be on their way.
   */
  applyChange({ revision, message }: MessageChange, isOwn = false): void {
    if (revision <= this.#revision) return
    if (!isOwn || revision === this.#revision + 1) this.#revision = revision
    updateState(() => {
      // Set it even if the message is not loaded, because the cache contains the revision.
      this.#set(this.#messages.peek().map(each => (each.seq === message.seq ? message : each)))
    })
  }

  /** Fetches the newest page, and again if a newer message is reported meanwhile. Retries until that fails permanently. */
  async catchUp(scope: SessionScope): Promise<void> {
    if (this.#catchingUp === scope) {
      this.#needsAnotherRound = true
      return
    }
    this.#catchingUp = scope
    do {
      this.#needsAnotherRound = false
      this.#isFailing = false
      const newest = await this.#fetchPage(scope, () => {
        this.#isFailing = true
        // While offline, the connection status explains the delay already.
        if (this.#history.peek() === 'loading' && this.#deps.page.online()) this.fail()
        return false
      })
      if (scope.abortSignal.aborted) return
      if (!newest) {
        this.#catchingUp = undefined
        this.#isBehind = true
        return this.fail()
      }
      this.#isBehind = false
      this.#showNewest(newest)
    } while (this.#needsAnotherRound)
    this.#catchingUp = undefined
    updateState(() => {
      this.#deps.onCaughtUp()
      this.#updateHistory()
    })
  }

  /**
   * Fetches the newest page once, because no event stream reports new messages. Resolves to whether the platform responded,
   * or to `undefined` while the newest page is fetched for another reason, and no attempt has failed.
   */
  async poll(scope: SessionScope): Promise<boolean | undefined> {
    if (this.#catchingUp === scope) return this.#isFailing ? false : undefined
    const newest = await this.#fetchPage(scope, ({ ended }) => !ended)
    if (!newest) return false
    if (scope.abortSignal.aborted || this.#catchingUp === scope) return undefined
    this.#isBehind = false
    if ((newest.data.at(-1)?.seq ?? 0) > this.lastSeq() || newest.revision !== this.#revision) this.#showNewest(newest)
    updateState(() => {
      this.#deps.onCaughtUp()
      if (this.#history.peek() !== 'loading') this.#updateHistory()
    })
    return true
  }

  /** Resolves to whether no tab has announced the message in this way before, and stores that this tab does. */
  async claim(how: 'previewedId' | 'soundedId', message = this.#messages.peek().at(-1)): Promise<boolean> {
    let isFirst = true
    const id = message?.id
    await this.#store(stored => {
      isFirst = stored[how] !== id
      return { ...stored, [how]: id }
    })
    return isFirst
  }

  /** Loads the next page of older messages, or retries the request that failed. */
  loadOlder = async (): Promise<void> => {
    const scope = this.#scope
    const history = this.#history.peek()
    const before = this.#messages.peek()[0]?.seq
    if (!scope || (history !== 'failed' && history !== 'more')) return
    if (!scope.isReady.peek()) return this.#deps.retryRestore()
    setState(this.#history, 'loading')
    if (this.#catchingUp === scope) return this.#deps.backoff.retryNow()
    if (this.#isBehind) return this.catchUp(scope)
    const older = (await this.#fetchPage(scope, ({ ended }) => !ended, before))?.data
    if (scope.abortSignal.aborted) return
    if (!older) return this.fail()
    if (!older.length && before) this.#firstKeptSeq = before
    updateState(() => {
      // The list may have been replaced meanwhile.
      if (older.length && this.#messages.peek()[0]?.seq === before) this.#set(joinPage(this.#messages.peek(), older))
      this.#updateHistory()
    })
  }

  /** Fetches a page. If changes are reported while it is on its way, it may lack them, and is fetched again. */
  async #fetchPage(
    scope: SessionScope,
    shouldStopRetrying: StopCondition,
    before?: number,
  ): Promise<MessagePage | undefined> {
    for (;;) {
      const known = this.#revision
      const page = await this.#deps.api.listMessages(scope, shouldStopRetrying, before)
      const isStale = this.#revision !== known && page && page.revision < this.#revision
      if (!isStale || scope.abortSignal.aborted) return page
    }
  }

  /** Shows the newest page. Loaded messages before it are kept only if none of them can have changed. */
  #showNewest({ data, revision }: MessagePage): void {
    const last = data.at(-1)?.seq ?? 0
    const loaded = this.#messages.peek()
    const isCurrent = revision === this.#revision
    this.#revision = revision
    this.#show(joinPage(isCurrent ? loaded : loaded.filter(({ seq }) => seq > last), data))
  }

  #show(messages: readonly Message[]): void {
    updateState(() => {
      this.#set(messages)
      this.#deps.onShow(messages)
    })
    this.#deps.onShown(messages)
  }

  #set(messages: readonly Message[]): void {
    this.#messages.value = messages
    // Not the revision at the time of writing: these messages lack what has changed until then.
    const newest = { messages: messages.slice(-maxCachedMessages), revision: this.#revision }
    void this.#store(stored => ({ ...stored, ...newest }))
  }

  async #store(change: (stored: Transcript) => Transcript): Promise<void> {
    if (this.#scope?.isReady.peek()) await this.#deps.records.putTranscript(this.#scope, change)
  }

  #updateHistory(): void {
    this.#history.value = (this.#messages.peek()[0]?.seq ?? 1) <= this.#firstKeptSeq ? 'complete' : 'more'
  }

  /** Shows that no messages can be fetched. */
  fail(): void {
    // A request that fails for good has been reported at its first failure already.
    if (this.#history.peek() === 'failed') return
    setState(this.#history, 'failed')
    this.#deps.emit('error', { code: 'history_failed' })
  }
}

/** Merges a page into the loaded messages. Messages that a gap would separate from the page are dropped. */
function joinPage(loaded: readonly Message[], page: readonly Message[]): readonly Message[] {
  const first = page[0]?.seq ?? 1
  const last = page.at(-1)?.seq ?? 0
  const older = loaded.filter(({ seq }) => seq < first)
  // The stream may have delivered newer messages before the page arrived.
  const newer = loaded.filter(({ seq }) => seq > last)
  return [...(older.at(-1)?.seq === first - 1 ? older : []), ...page, ...(newer[0]?.seq === last + 1 ? newer : [])]
}
