import type { ReadonlySignal } from '@preact/signals-core'
import { withDeadline } from '../async/timing.ts'
import type { Deps } from '../conversation/deps.ts'
import { askTokenUrl, type TokenUrlAnswer } from './askTokenUrl.ts'
import type { IdentityStore } from './identityStore.ts'
import { checkSignIn, type SignInCheckDeps } from './signInCheck.ts'
import type { SignInStore } from './signInState.ts'
import { isContactToken } from './storedIdentity.ts'
import type { VisitorSession } from './visitorSession.ts'

interface SiteSignInDeps extends Deps {
  /** The address at which the site says who is signed in. */
  tokenUrl: string
  fetch: typeof fetch
  identity: IdentityStore
  session: VisitorSession
  isPanelOpen: ReadonlySignal<boolean>
  botId: string
  /** The page was hidden for a minute, so somebody else may be the visitor from now on. */
  onAway(): void
}

/** After this time somebody else may look at a hidden page next. */
const staleMs = 60_000
/** Longer than a slow server takes, and shorter than a visitor waits. */
const siteAnswerMs = 15_000

/** Decides when to ask the site who is signed in, and reports to `SignIn` how far that has got. */
export class SiteSignIn {
  readonly #deps: SiteSignInDeps
  readonly #store: SignInStore
  readonly #checkDeps: SignInCheckDeps
  /** Aborts the open question. */
  #asking: AbortController | undefined
  /** Resolves when the last question has ended. */
  #lastQuestion = Promise.resolve()
  /** Whether to ask the site as soon as the page is visible. */
  #isPending = false
  #hiddenSince = Infinity
  /** The contact whom the site, or a login of this tab, has named last; `undefined` if it has named nobody. */
  #confirmedId: string | undefined
  /** The epoch in which the page has last called `refresh()`. */
  #allowedEpoch: string | undefined
  #cancelTimer = () => {}

  constructor(deps: SiteSignInDeps, store: SignInStore) {
    const { session, page, abortSignal } = deps
    this.#deps = deps
    this.#store = store
    this.#checkDeps = {
      ...deps,
      ask: (token, signal) => this.#askSite(token, signal),
      onNobody: session.endBySite,
      onInvalid(what) {
        console.error(
          `Natter: tokenUrl ${deps.tokenUrl} ${what}. It has to answer 200 with {"data":{"token":"c:…"}}, 204 if the contact is still signed in, or 401 if nobody is.`,
        )
        deps.emit('error', { code: 'token_url_failed' })
      },
    }
    if (page.isHidden()) this.#startHiding()
    abortSignal.addEventListener('abort', () => {
      this.stopAsking()
      this.#cancelTimer()
    })
  }

  /** Asks the site unless a question is already open. Called when the chat opens and before a stored session is shown. */
  async check(): Promise<void> {
    // The site would create a token for each question.
    await (this.#asking ? this.#lastQuestion : this.#askWhenVisible())
  }

  /** Asks because the page calls for it, even if a session was ended on purpose. Resolves when the site has answered. */
  async refresh(): Promise<void> {
    // Copied: as a part of what was stored it would keep all of that in memory, with the token.
    this.#allowedEpoch = [...this.#deps.identity.read().epoch].join('')
    void this.#ask()
    // A later question may replace this one, so wait until the last one has ended.
    for (let awaited: unknown; awaited !== this.#lastQuestion; ) {
      awaited = this.#lastQuestion
      await awaited
    }
  }

  /** Asks the site for another token, because the platform has refused the stored one as expired. */
  handleExpired(): void {
    void this.#askWhenVisible()
  }

  /** Called when the platform has identified the contact. A login of this tab counts as confirmation by the site. */
  handleIdentified({ isOwnLogin }: { isOwnLogin: boolean }): void {
    // The answer to an open question decides.
    if (this.#asking) return
    const state = this.#store.state.peek()
    // Another tab's login may be old by the time this tab sees it.
    const isNamed = isOwnLogin || (state === 'confirmed' && this.#deps.session.contact.peek()?.id === this.#confirmedId)
    // Somebody else may look at a visible page that was away for a minute and has not asked since.
    if (isNamed && (state !== 'stale' || this.#deps.page.isHidden())) this.#confirm()
    else void this.#askWhenVisible()
  }

  #confirm(): void {
    this.#confirmedId = this.#deps.session.contact.peek()?.id
    this.#store.dispatch({ type: 'confirmed', isAway: this.#isAway() })
  }

  /** Called when the page becomes hidden or visible. */
  handleVisibility(): void {
    if (this.#deps.page.isHidden()) {
      this.#startHiding()
      return
    }
    this.#cancelTimer()
    // The timer doesn't run while a page is frozen, so check the time again.
    const wasAway = this.#isAway()
    if (wasAway) this.#leave()
    this.#hiddenSince = Infinity
    const isDoubtful = this.#isContactHidden() || (wasAway && this.#deps.isPanelOpen.peek())
    // A question that was open while the page was away may have been answered long ago, so ask again.
    if (this.#isPending || (this.#asking ? wasAway : isDoubtful)) void this.#askWhenVisible()
  }

  /** Hides the contact before the page freezes, because the browser shows the last frame again before the page resumes. */
  conceal(): void {
    this.#store.dispatch({ type: 'concealed', isAnonymous: this.#isAnonymous() })
  }

  /** Somebody else may look at the page next. */
  #leave(): void {
    this.#deps.onAway()
    this.conceal()
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
    // The page may dispatch the event itself, which must not restart the minute.
    if (this.#hiddenSince !== Infinity) return
    this.#hiddenSince = this.#deps.clock.now()
    this.#cancelTimer = this.#deps.clock.setTimeout(() => this.#leave(), staleMs)
  }

  /** Gives up the open question. */
  stopAsking(): void {
    this.#asking?.abort(0)
    this.#asking = undefined
    this.#isPending = false
  }

  /** Asks now, or when the page becomes visible; never while the visitor goes on anonymously. */
  async #askWhenVisible(): Promise<void> {
    if (this.#store.state.peek() === 'unanswered' && this.#isAnonymous()) return
    if (!this.#deps.page.isHidden()) return this.#ask()
    this.#isPending = true
    this.#store.dispatch({ type: 'asked' })
  }

  async #askSite(token: string | null, signal: AbortSignal): Promise<TokenUrlAnswer> {
    const { clock, fetch, tokenUrl, session } = this.#deps
    const validity = session.isExpired.peek() ? 'expired' : 'valid'
    const question = {
      contact: session.contact.peek()?.id ?? null,
      token: isContactToken(token) ? validity : 'none',
    } as const
    const askedAt = clock.now()
    const answer = await withDeadline(clock, siteAnswerMs, signal, deadline =>
      askTokenUrl(fetch, tokenUrl, question, deadline.signal),
    )
    // The timer doesn't run while a page is frozen, so the answer may be an hour old.
    return answer && clock.now() - askedAt <= siteAnswerMs ? answer : { kind: 'unreachable' }
  }

  #ask(): Promise<void> {
    this.#lastQuestion = this.#askNow()
    return this.#lastQuestion
  }

  async #askNow(): Promise<void> {
    // The answer to an earlier question may be older than the sign-in or sign-out because of which this one is asked.
    this.stopAsking()
    const own = new AbortController()
    this.#asking = own
    const { dispatch } = this.#store
    dispatch({ type: 'asked' })
    const result = await checkSignIn(this.#checkDeps, {
      signal: own.signal,
      allowedEpoch: this.#allowedEpoch,
      onUnreachable() {
        if (!own.signal.aborted) dispatch({ type: 'late' })
      },
    })
    if (own.signal.aborted || result === 'aborted') return
    this.#asking = undefined
    if (result === 'confirmed') this.#confirm()
    else dispatch({ type: result })
  }
}
