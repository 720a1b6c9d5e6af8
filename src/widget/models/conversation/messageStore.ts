import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Message } from '../../../contract/index.ts'
import type { Deps } from '../deps.ts'
import type { SessionScope } from '../session/sessionScope.ts'
import { updateState } from '../updateState.ts'

/** `complete`: the first message of the conversation is loaded, or the platform has deleted everything older. */
export type HistoryStatus = 'loading' | 'more' | 'failed' | 'complete'

export interface MessageStoreDeps extends Pick<Deps, 'api' | 'page' | 'backoff' | 'cache' | 'emit'> {
  /** Called in the batch that shows `messages`, so that no message is shown as stored and pending at once. */
  onShow(messages: readonly Message[]): void
  /** Called after that batch. */
  onShown(messages: readonly Message[]): void
  /** Tries again to restore the session. */
  retryRestore(): void
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
  #cacheScope: SessionScope | undefined
  /** The scope whose newest page is being fetched. */
  #catchingUp: SessionScope | undefined
  /** A newer message was reported while the newest page was being fetched. */
  #needsAnotherRound = false
  /** The newest page could not be fetched, so the next attempt begins with it. */
  #isBehind = false
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

  has(id: string): boolean {
    return this.#messages.peek().some(message => message.id === id)
  }

  /** Switches to another session and clears everything. */
  reset(scope: SessionScope): void {
    this.#scope = scope
    this.#cacheScope = this.#catchingUp = undefined
    this.#isBehind = false
    this.#firstKeptSeq = 1
    updateState(() => {
      this.#messages.value = []
      this.#history.value = 'loading'
    })
  }

  /**
   * Shows the cached messages. If they go beyond `lastSeq`, the platform's last `seq`, they belong to another conversation.
   */
  restoreFromCache(scope: SessionScope, transcript: readonly Message[], lastSeq: number): void {
    this.#cacheScope = scope
    const last = transcript.at(-1)?.seq ?? 0
    updateState(() => {
      if (last <= lastSeq) this.#messages.value = transcript
      if (this.lastSeq() === lastSeq) this.#updateHistory()
    })
  }

  /** Shows a message that has just been stored. If messages before it are missing, the newest page is fetched instead. */
  receive(scope: SessionScope, message: Message): 'shown' | 'known' | 'fetching' {
    const missing = message.seq - this.lastSeq() - 1
    if (missing < 0) return 'known'
    if (missing > 0 || this.#catchingUp === scope) {
      void this.catchUp(scope)
      return 'fetching'
    }
    this.#show([...this.#messages.peek(), message])
    return 'shown'
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
      const newest = await this.#deps.api.listMessages(scope, () => {
        // While offline, the connection status explains the delay already.
        if (this.#history.peek() === 'loading' && this.#deps.page.online()) this.#fail()
        return false
      })
      if (scope.abortSignal.aborted) return
      if (!newest) {
        this.#catchingUp = undefined
        this.#isBehind = true
        return this.#fail()
      }
      this.#isBehind = false
      this.#show(joinPage(this.#messages.peek(), newest))
    } while (this.#needsAnotherRound)
    this.#catchingUp = undefined
    updateState(() => {
      this.#deps.onCaughtUp()
      this.#updateHistory()
    })
  }

  /**
   * Fetches the newest page once, because no event stream reports new messages. Resolves to whether the platform responded.
   */
  async poll(scope: SessionScope): Promise<boolean> {
    if (this.#catchingUp === scope) return false
    const newest = await this.#deps.api.listMessages(scope, ({ ended }) => !ended)
    if (!newest || scope.abortSignal.aborted || this.#catchingUp === scope) return false
    this.#isBehind = false
    if ((newest.at(-1)?.seq ?? 0) > this.lastSeq()) this.#show(joinPage(this.#messages.peek(), newest))
    updateState(() => {
      this.#deps.onCaughtUp()
      if (this.#history.peek() !== 'loading') this.#updateHistory()
    })
    return true
  }

  /** Shows that no messages can be fetched, because the session could not be restored. */
  failToRestore(): void {
    this.#fail()
  }

  /** Loads the next page of older messages, or retries the request that failed. */
  loadOlder = async (): Promise<void> => {
    const scope = this.#scope
    const history = this.#history.peek()
    const before = this.#messages.peek()[0]?.seq
    if (!scope || (history !== 'failed' && history !== 'more')) return
    if (!this.#cacheScope) return this.#deps.retryRestore()
    updateState(() => {
      this.#history.value = 'loading'
    })
    if (this.#catchingUp === scope) return this.#deps.backoff.retryNow()
    if (this.#isBehind) return this.catchUp(scope)
    const older = await this.#deps.api.listMessages(scope, ({ ended }) => !ended, before)
    if (scope.abortSignal.aborted) return
    if (!older) return this.#fail()
    if (!older.length && before) this.#firstKeptSeq = before
    updateState(() => {
      // The list may have been replaced meanwhile.
      if (older.length && this.#messages.peek()[0]?.seq === before) this.#set(joinPage(this.#messages.peek(), older))
      this.#updateHistory()
    })
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
    const transcript = messages.slice(-maxCachedMessages)
    if (this.#cacheScope) void this.#deps.cache.put(this.#cacheScope.epoch, () => ({ transcript }))
  }

  #updateHistory(): void {
    this.#history.value = (this.#messages.peek()[0]?.seq ?? 1) <= this.#firstKeptSeq ? 'complete' : 'more'
  }

  #fail(): void {
    // A request that fails for good has been reported at its first failure already.
    if (this.#history.peek() === 'failed') return
    updateState(() => {
      this.#history.value = 'failed'
    })
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
