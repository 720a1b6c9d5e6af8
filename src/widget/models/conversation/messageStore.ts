import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Message } from '../../../contract/index.ts'
import type { Deps, SessionScope } from '../session/sessionScope.ts'
import { updateState } from '../updateState.ts'

/** `complete`: the first message of the conversation is loaded, or the platform keeps nothing older. */
export type HistoryStatus = 'loading' | 'more' | 'failed' | 'complete'

export interface MessageStoreDeps extends Pick<Deps, 'api' | 'page' | 'backoff' | 'cache' | 'emit'> {
  /** Called in the batch that shows `messages`, so that nothing is ever shown twice. */
  onShow(messages: readonly Message[]): void
  /** Called after that batch. */
  onShown(messages: readonly Message[]): void
  /** Asks again whose session it is. */
  retryRestore(): void
  /** The newest page has been fetched and is shown. */
  onCaughtUp(): void
}

/** Messages kept in the browser's storage. */
const keptMessages = 100

/** The stored messages that this browser has loaded: a stretch without gaps up to the newest one it knows. */
export class MessageStore {
  readonly #deps: MessageStoreDeps
  readonly #messages = signal<readonly Message[]>([])
  readonly #history = signal<HistoryStatus>('loading')
  #scope: SessionScope | undefined
  #cacheScope: SessionScope | undefined
  /** The scope whose newest page is being fetched. */
  #catchingUp: SessionScope | undefined
  /** Something new was reported while the newest page was on its way. */
  #needsAnotherRound = false
  /** The newest page was refused, so the next attempt starts with it. */
  #isBehind = false
  /** The platform keeps nothing before this `seq`: retention has deleted it, or the conversation begins here. */
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

  /** Another session: everything goes. */
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

  /** Shows what is stored. `lastSeq` is the platform's; what is beyond it belongs to another conversation. */
  restoreFromCache(scope: SessionScope, transcript: readonly Message[], lastSeq: number): void {
    this.#cacheScope = scope
    const last = transcript.at(-1)?.seq ?? 0
    updateState(() => {
      if (last <= lastSeq) this.#messages.value = transcript
      if (this.lastSeq() === lastSeq) this.#updateHistory()
    })
  }

  /** Shows a message that has just been stored. What it leaves out is fetched. */
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

  /** Fetches the newest page until it is there or refused for good. What is reported meanwhile asks for another round. */
  async catchUp(scope: SessionScope): Promise<void> {
    if (this.#catchingUp === scope) {
      this.#needsAnotherRound = true
      return
    }
    this.#catchingUp = scope
    do {
      this.#needsAnotherRound = false
      const newest = await this.#deps.api.listMessages(scope, () => {
        // Without a network the connection says so already.
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

  /** Fetches the newest page once, while no event stream reports what is new. Resolves to whether the platform has answered. */
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

  /** The session could not be restored, so nothing can be fetched. */
  failToRestore(): void {
    this.#fail()
  }

  /** Loads the page of older messages, or retries what has failed. */
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
    const transcript = messages.slice(-keptMessages)
    if (this.#cacheScope) void this.#deps.cache.put(this.#cacheScope.epoch, () => ({ transcript }))
  }

  #updateHistory(): void {
    this.#history.value = (this.#messages.peek()[0]?.seq ?? 1) <= this.#firstKeptSeq ? 'complete' : 'more'
  }

  #fail(): void {
    updateState(() => {
      this.#history.value = 'failed'
    })
    this.#deps.emit('error', { code: 'history_failed' })
  }
}

/** Joins a page with what is loaded. What would leave a gap is dropped, and loaded again when it is needed. */
function joinPage(loaded: readonly Message[], page: readonly Message[]): readonly Message[] {
  const first = page[0]?.seq ?? 1
  const last = page.at(-1)?.seq ?? 0
  const older = loaded.filter(({ seq }) => seq < first)
  // The stream may have been faster than the page.
  const newer = loaded.filter(({ seq }) => seq > last)
  return [...(older.at(-1)?.seq === first - 1 ? older : []), ...page, ...(newer[0]?.seq === last + 1 ? newer : [])]
}
