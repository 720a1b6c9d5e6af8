import type { ReadonlySignal } from '@preact/signals-core'

/**
 * How far the widget has got with asking the site who is signed in. Without `tokenUrl` the state is always `confirmed`.
 * - `unasked`: the site has not been asked, or may not be asked because the session was ended on purpose.
 * - `asked`: a question is open, or waits until the page is visible. Nobody can write.
 * - `late`: the site has not answered for 3 s, or can't be reached. The widget keeps trying. A visitor without a stored
 *   contact goes on anonymously.
 * - `unanswered`: they have sent something then. The site is asked again by the next page, `auth.refresh()` or a login.
 * - `failed`: the site has given an invalid answer. It is asked again when the visitor retries or opens the chat.
 * - `stale`: the page was hidden for so long that somebody else may look at it next.
 * - `confirmed`: the session agrees with the site's answer.
 */
export type SignInState = 'unasked' | 'asked' | 'late' | 'unanswered' | 'failed' | 'stale' | 'confirmed'

export type SignInEvent =
  /** A question to the site begins, or waits until the page is visible. */
  | { readonly type: 'asked' }
  /** There is no answer for 3 s, or an attempt to ask has failed. */
  | { readonly type: 'late' }
  /** The visitor has sent something. */
  | { readonly type: 'sent' }
  | { readonly type: 'notAsked' }
  | { readonly type: 'failed' }
  /** The session agrees with the site's answer, or this tab has logged in. `isAway`: the page is hidden for a minute. */
  | { readonly type: 'confirmed'; readonly isAway: boolean }
  /** The page has been hidden for a minute, is frozen, or enters the back/forward cache. */
  | { readonly type: 'concealed'; readonly isAnonymous: boolean }

/** Returns the state after an event. A pure function, which only `SignIn` calls. */
export function nextSignInState(state: SignInState, event: SignInEvent): SignInState {
  switch (event.type) {
    case 'asked':
    case 'failed':
      return event.type
    case 'late':
      return state === 'asked' ? 'late' : state
    case 'sent':
      return state === 'late' || state === 'failed' ? 'unanswered' : state
    case 'notAsked':
      return 'unasked'
    case 'confirmed':
      return event.isAway ? 'stale' : 'confirmed'
    case 'concealed':
      // An anonymous chat stays visible. But this tab may see another tab's login an hour late, so that needs a question.
      return state === 'confirmed' || (event.isAnonymous && (state === 'unasked' || state === 'failed'))
        ? 'stale'
        : state
    default:
      return event satisfies never
  }
}

/** The part of `SignIn` through which `SiteSignIn` reads and changes its state. */
export interface SignInStore {
  readonly state: ReadonlySignal<SignInState>
  dispatch(event: SignInEvent): void
}
