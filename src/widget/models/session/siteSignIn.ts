import { computed, type ReadonlySignal, signal } from '@preact/signals-core'
import type { SessionCore } from './sessionModel.ts'
import type { SignInStore } from './signIn.ts'
import { checkSignIn, type SignInCheckDeps } from './signInCheck.ts'

export interface SiteSignInDeps extends Omit<SignInCheckDeps, 'contact' | 'isSettled' | 'expiredToken' | 'lockName'> {
  session: SessionCore
  isPanelOpen: ReadonlySignal<boolean>
  botId: string
  /** The widget's end. */
  abortSignal: AbortSignal
}

/** How long a hidden page counts as being the same person's. */
const staleMs = 60_000

/** Decides when the site is asked who is signed in, and tells the store what may be shown until it has answered. */
export class SiteSignIn {
  readonly #deps: SiteSignInDeps
  readonly #store: SignInStore
  readonly #checkDeps: SignInCheckDeps
  readonly #expiredToken = signal<string | null>(null)
  /** Ends the question that is open. */
  #asking: AbortController | undefined
  /** Settles with the last question. */
  #lastQuestion = Promise.resolve()
  /** The site is to be asked when the page is visible. */
  #isOwed = false
  #hiddenSince = Infinity
  #cancelTimer = () => {}

  constructor(deps: SiteSignInDeps, store: SignInStore) {
    const { session, botId, page, abortSignal } = deps
    this.#deps = deps
    this.#store = store
    const expiredToken = this.#expiredToken
    const isSettled = computed(
      () =>
        // Not before: an answer must not be older than a login of another tab that localStorage shows late.
        session.isOpen.value ||
        session.status.value === 'restoreFailed' ||
        // An anonymous session is nobody's, whatever the platform says of it.
        (session.status.value === 'restoring' && session.authState.value === 'anonymous') ||
        // Whose the session was is not going to be known.
        expiredToken.value !== null,
    )
    const { contact } = session
    this.#checkDeps = { ...deps, contact, isSettled, expiredToken, lockName: `natter:${botId}:signIn` }
    if (page.isHidden()) this.#startHiding()
    abortSignal.addEventListener('abort', () => {
      this.#asking?.abort('Natter was destroyed')
      this.#cancelTimer()
    })
  }

  /** The visitor opens the chat, or a stored session is about to be shown. */
  async check(): Promise<void> {
    // Two questions would have the site make two tokens.
    await (this.#asking ? this.#lastQuestion : this.#askWhenVisible())
  }

  /** Asks on the page's own word, also where a session was ended on purpose. Resolves when it is known. */
  async refresh(): Promise<void> {
    const { identity } = this.#deps
    identity.allowSignIn()
    void this.#ask(identity.read().epoch)
    // Another question may take the place of this one.
    for (let awaited: unknown; awaited !== this.#lastQuestion; ) {
      awaited = this.#lastQuestion
      await awaited
    }
  }

  /** The platform has called this token expired. */
  handleExpired(token: string): void {
    // Several requests may be refused for it.
    if (this.#asking && token === this.#expiredToken.peek()) return
    this.#expiredToken.value = token
    void this.#askWhenVisible()
  }

  /** The platform has said who the contact is. A login of this tab counts as the site's word. */
  handleIdentified({ isOwnLogin }: { isOwnLogin: boolean }): void {
    // Who looks at a hidden page next is not known yet, and an answer that is on its way decides.
    if (this.#deps.page.isHidden() || this.#asking) return
    const state = this.#store.state.peek()
    if (state === 'confirmed') return
    // A login of another tab may be of yesterday, where storage shows it late.
    if (isOwnLogin && state !== 'stale') this.#store.dispatch({ type: 'confirmed', isAway: false })
    else void this.#ask()
  }

  /** The page has been hidden, or is visible again. */
  handleVisibility(): void {
    this.#cancelTimer()
    if (this.#deps.page.isHidden()) {
      this.#startHiding()
      return
    }
    // The timer of a frozen page doesn't run.
    const wasAway = this.#isAway()
    if (wasAway) this.conceal()
    this.#hiddenSince = Infinity
    const isDoubtful = this.#isContactHidden() || (wasAway && this.#deps.isPanelOpen.peek())
    // What is being asked since before then may have been answered long ago.
    if (this.#isOwed || (this.#asking ? wasAway : isDoubtful)) void this.#ask()
  }

  /** The page is about to stop: the browser shows its last frame again before it goes on. */
  conceal(): void {
    this.#store.dispatch({ type: 'concealed', isAnonymous: this.#isAnonymous() })
  }

  #isAnonymous(): boolean {
    return this.#deps.session.authState.peek() === 'anonymous'
  }

  #isContactHidden(): boolean {
    return !this.#isAnonymous() && this.#store.state.peek() !== 'confirmed'
  }

  /** Whether the page has been hidden for so long that somebody else may look at it next. */
  #isAway(): boolean {
    return this.#deps.clock.now() - this.#hiddenSince >= staleMs
  }

  #startHiding(): void {
    this.#hiddenSince = this.#deps.clock.now()
    this.#cancelTimer = this.#deps.clock.setTimeout(() => this.conceal(), staleMs)
  }

  /** A hidden page asks when it is visible again. */
  async #askWhenVisible(): Promise<void> {
    if (!this.#deps.page.isHidden()) return this.#ask()
    this.#isOwed = true
    this.#store.dispatch({ type: 'asked' })
  }

  #ask(allowedEpoch?: string): Promise<void> {
    this.#lastQuestion = this.#askNow(allowedEpoch)
    return this.#lastQuestion
  }

  async #askNow(allowedEpoch: string | undefined): Promise<void> {
    // An answer to an earlier question may be older than the sign-in or sign-out that this one is about.
    this.#asking?.abort('Natter: the site is asked again')
    const own = new AbortController()
    this.#asking = own
    this.#isOwed = false
    const { state, dispatch } = this.#store
    dispatch({ type: 'asked' })
    const onUnreachable = () => {
      if (!own.signal.aborted) dispatch({ type: 'unreachable' })
    }
    const isFirst = () => state.peek() === 'firstAsked'
    const question = { signal: own.signal, allowedEpoch, isFirst, onUnreachable }
    const result = await checkSignIn(this.#checkDeps, question)
    if (own.signal.aborted || result === 'aborted') return
    this.#asking = undefined
    if (result === 'confirmed') {
      this.#expiredToken.value = null
      dispatch({ type: 'confirmed', isAway: this.#isAway() })
    } else dispatch({ type: result })
  }
}
