import { computed, type ReadonlySignal, signal } from '@preact/signals-core'
import { updateState } from '../updateState.ts'
import type { SessionCore } from './sessionModel.ts'
import type { checkSignIn, SignInCheckDeps } from './signInCheck.ts'

/** What the view needs to know of the site's sign-in. Without `tokenUrl` everything may always be shown. */
export interface SignInModel {
  /** Nothing of the contact may be shown: the site has still to say whether they are signed in. */
  readonly isViewHidden: ReadonlySignal<boolean>
  /** The site can't be reached, and is asked again. */
  readonly isUnreachable: ReadonlySignal<boolean>
}

/** With `tokenUrl`: shows of a contact only what the site has confirmed. */
export interface SignInGate extends SignInModel {
  /** Nor may the visitor be told that there is anything new. */
  readonly isSilent: ReadonlySignal<boolean>
  /** The visitor opens the chat: asks the site who is signed in. */
  check(): void
  /** A stored session is about to be shown: asks the site whether its contact is still signed in. */
  checkStored(): void
  /** Asks on the page's own word, also where a visitor has ended the last session. Resolves when it is known. */
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

export interface SignInGateDeps
  extends Omit<SignInCheckDeps, 'tokenUrl' | 'session' | 'contact' | 'isSettled' | 'expiredToken' | 'lockName'> {
  tokenUrl: string | undefined
  botId: string
  /** The widget's end. */
  abortSignal: AbortSignal
  /** Fetches what asks the site: most sites don't need it. */
  loadCheck(): Promise<{ checkSignIn: typeof checkSignIn }>
}

/**
 * `unknown`: the site is being asked, or will be when the page is visible. `unreachable`: it has not given an answer that can
 * be used. `stale`: the page was hidden for so long that somebody else may look at it next.
 */
type SignInState = 'unknown' | 'unreachable' | 'stale' | 'confirmed'

/** How long a hidden page counts as being the same person's. */
const staleMs = 60_000

export function createSignInGate(deps: SignInGateDeps, session: SessionCore): SignInGate {
  const { tokenUrl, botId, clock, page, backoff, identity, abortSignal, loadCheck } = deps
  const state = signal<SignInState>(tokenUrl ? 'unknown' : 'confirmed')
  const expiredToken = signal<string | null>(null)
  const isOfContact = computed(() => session.authState.value !== 'anonymous')
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

  async function ask(tokenUrl: string) {
    // An answer to an earlier question may be older than the sign-in or sign-out that this one is about.
    asking?.abort(0)
    const own = new AbortController()
    asking = own
    setState('unknown')
    const { contact } = session
    const lockName = `natter:${botId}:signIn`
    const onUnreachable = () => {
      if (!own.signal.aborted) setState('unreachable')
    }
    for (let tries = 0; !own.signal.aborted; tries++) {
      const check = await loadCheck().catch(onUnreachable)
      if (check) {
        const isKnown = await check.checkSignIn(
          { ...deps, tokenUrl, session, contact, isSettled, expiredToken, lockName },
          own.signal,
          onUnreachable,
        )
        if (own.signal.aborted) return
        asking = undefined
        if (isKnown) expiredToken.value = null
        setState(isKnown ? 'confirmed' : 'unreachable')
        return
      }
      await backoff.wait(tries, own.signal)
    }
  }

  /** A hidden page asks when it is visible again. */
  async function check() {
    if (!tokenUrl) return
    if (page.isHidden()) setState('unknown')
    else await ask(tokenUrl)
  }

  function checkStored() {
    if (isOfContact.peek()) void check()
  }

  function conceal() {
    if (tokenUrl && state.peek() === 'confirmed') setState('stale')
  }

  abortSignal.addEventListener('abort', () => {
    asking?.abort(0)
    cancelTimer()
  })

  return {
    isViewHidden: computed(() => isOfContact.value && state.value !== 'confirmed'),
    isUnreachable: computed(() => state.value === 'unreachable'),
    isSilent: computed(() => isOfContact.value && (state.value === 'unknown' || state.value === 'unreachable')),
    check,
    checkStored,
    async refresh() {
      if (!tokenUrl) return
      identity.allowSignIn()
      await ask(tokenUrl)
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
      if (state.peek() !== 'confirmed' && !asking) checkStored()
    },
    conceal,
  }
}
