import { computed, type Signal, signal } from '@preact/signals-core'
import { updateState } from '../updateState.ts'
import type { SessionCore } from './sessionModel.ts'
import type { SignInState } from './signIn.ts'
import { checkSignIn, type SignInCheckDeps } from './signInCheck.ts'

/** Decides when the site is asked who is signed in, and what may be shown until it has answered. */
export interface SiteSignIn {
  /** The visitor opens the chat, or a stored session is about to be shown. */
  check(): Promise<void>
  /** Asks on the page's own word, also where a session was ended on purpose. Resolves when it is known. */
  refresh(): Promise<void>
  /** The platform has called this token expired. */
  handleExpired(token: string): void
  /** This browser has just logged in, by which the site has said who is signed in. */
  confirm(): void
  /** The page has been hidden, or is visible again. */
  handleVisibility(): void
  /** The page is about to stop: the browser shows its last frame again before it goes on. */
  conceal(): void
}

export interface SiteSignInDeps
  extends Omit<SignInCheckDeps, 'session' | 'contact' | 'isSettled' | 'expiredToken' | 'lockName'> {
  session: SessionCore
  botId: string
  /** The widget's end. */
  abortSignal: AbortSignal
}

/** How long a hidden page counts as being the same person's. */
const staleMs = 60_000

export function createSiteSignIn(deps: SiteSignInDeps, state: Signal<SignInState>): SiteSignIn {
  const { session, botId, clock, page, identity, abortSignal } = deps
  const expiredToken = signal<string | null>(null)
  const isSettled = computed(
    () =>
      session.authState.value !== 'identifying' ||
      session.status.value === 'restoreFailed' ||
      // Whose the session was is not going to be known.
      expiredToken.value !== null,
  )
  /** Ends what asks the site at the moment. */
  let asking: AbortController | undefined
  /** The last question. */
  let asked = Promise.resolve()
  /** A hidden page was to ask. */
  let isOwed = false
  let hiddenSince = Infinity
  let cancelTimer = () => {}

  const setState = (next: SignInState) =>
    updateState(() => {
      state.value = next
    })

  /** Whether the page has been hidden for so long that somebody else may look at it next. */
  const isAway = () => clock.now() - hiddenSince >= staleMs

  function ask() {
    asked = askNow()
    return asked
  }

  async function askNow() {
    // An answer to an earlier question may be older than the sign-in or sign-out that this one is about.
    asking?.abort(0)
    const own = new AbortController()
    asking = own
    isOwed = false
    setState('unknown')
    const { contact } = session
    const onUnreachable = () => {
      if (!own.signal.aborted) setState('unreachable')
    }
    const checkDeps = { ...deps, contact, isSettled, expiredToken, lockName: `natter:${botId}:signIn` }
    const isKnown = await checkSignIn(checkDeps, own.signal, onUnreachable)
    if (own.signal.aborted) return
    asking = undefined
    if (isKnown) expiredToken.value = null
    const confirmed = isAway() ? 'stale' : 'confirmed'
    setState(isKnown ? confirmed : 'unreachable')
  }

  /** A hidden page asks when it is visible again. */
  async function askWhenVisible() {
    if (!page.isHidden()) return ask()
    isOwed = true
    setState('unknown')
  }

  function conceal() {
    // An anonymous chat goes on, but a login that is heard of only now may be an hour old.
    if (state.peek() === 'confirmed' || session.authState.peek() === 'anonymous') setState('stale')
  }

  function startHiding() {
    hiddenSince = clock.now()
    cancelTimer = clock.setTimeout(conceal, staleMs)
  }

  if (page.isHidden()) startHiding()

  abortSignal.addEventListener('abort', () => {
    asking?.abort(0)
    cancelTimer()
  })

  return {
    async check() {
      // Two questions would have the site make two tokens.
      await (asking ? asked : askWhenVisible())
    },
    async refresh() {
      identity.allowSignIn()
      void ask()
      // Another question may take the place of this one.
      for (let awaited: unknown; awaited !== asked; ) {
        awaited = asked
        await asked
      }
    },
    handleExpired(token) {
      // Several requests may be refused for it.
      if (asking && token === expiredToken.peek()) return
      expiredToken.value = token
      void askWhenVisible()
    },
    confirm() {
      // Who looks at a hidden page next is not known yet. Nor does a login of another tab count that may be older than an
      // answer which is on its way, or was made while this page was away.
      if (page.isHidden() || asking) return
      if (state.peek() === 'stale') void ask()
      else setState('confirmed')
    },
    handleVisibility() {
      cancelTimer()
      if (page.isHidden()) return startHiding()
      // The timer of a frozen page doesn't run.
      const wasAway = isAway()
      if (wasAway) conceal()
      hiddenSince = Infinity
      const isContactHidden = session.authState.peek() !== 'anonymous' && state.peek() !== 'confirmed'
      // What is being asked since before then may have been answered long ago.
      if (isOwed || (asking ? wasAway : isContactHidden)) void ask()
    },
    conceal,
  }
}
