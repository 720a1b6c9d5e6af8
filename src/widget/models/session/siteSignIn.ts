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
  let hiddenSince = Infinity
  let cancelTimer = () => {}

  const setState = (next: SignInState) =>
    updateState(() => {
      state.value = next
    })

  async function ask() {
    // An answer to an earlier question may be older than the sign-in or sign-out that this one is about.
    asking?.abort(0)
    const own = new AbortController()
    asking = own
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
    setState(isKnown ? 'confirmed' : 'unreachable')
  }

  /** A hidden page asks when it is visible again. */
  async function check() {
    if (page.isHidden()) setState('unknown')
    else await ask()
  }

  function conceal() {
    if (state.peek() === 'confirmed') setState('stale')
  }

  abortSignal.addEventListener('abort', () => {
    asking?.abort(0)
    cancelTimer()
  })

  return {
    check,
    async refresh() {
      identity.allowSignIn()
      await ask()
    },
    handleExpired(token) {
      expiredToken.value = token
      void check()
    },
    confirm() {
      // Who looks at a hidden page next is not known yet.
      if (!page.isHidden()) setState('confirmed')
    },
    handleVisibility() {
      cancelTimer()
      if (page.isHidden()) {
        hiddenSince = clock.now()
        cancelTimer = clock.setTimeout(conceal, staleMs)
        return
      }
      // The timer of a frozen page doesn't run.
      if (clock.now() - hiddenSince >= staleMs) conceal()
      hiddenSince = Infinity
      if (session.authState.peek() !== 'anonymous' && state.peek() !== 'confirmed' && !asking) void check()
    },
    conceal,
  }
}
