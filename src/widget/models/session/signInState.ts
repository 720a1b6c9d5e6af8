import type { ReadonlySignal } from '@preact/signals-core'

/**
 * How far the widget has got with asking the site who is signed in. Without `tokenUrl` the state is always `confirmed`.
 * - `unasked`: the site has not been asked in this page.
 * - `firstAsked`: the first question is open, or waits until the page is visible. Whoever writes now is the person whom the
 *   site will name, so unsent text that was begun in this page is kept when that contact is logged in. Any other anonymous
 *   text is erased at a login, because it may be somebody else's.
 * - `firstUnreachable`: the site or the network has not responded to the first question, and the widget keeps trying. Unsent
 *   text is kept as in `firstAsked`, but messages no longer wait.
 * - `unknown`: a later question is open, or waits until the page is visible.
 * - `unreachable`: the site or the network does not respond to a later question. The widget keeps trying.
 * - `notAsked`: the session was ended on purpose. The site is asked again only after a login or `auth.refresh()`.
 * - `failed`: the site has given an invalid answer. It is asked again when the visitor retries or opens the chat.
 * - `stale`: the page was hidden for so long that somebody else may look at it next.
 * - `confirmed`: the session agrees with the site's answer.
 */
export type SignInState =
  | 'unasked'
  | 'firstAsked'
  | 'firstUnreachable'
  | 'unknown'
  | 'unreachable'
  | 'notAsked'
  | 'failed'
  | 'stale'
  | 'confirmed'

export type SignInEvent =
  /** A question to the site begins, or waits until the page is visible. */
  | { readonly type: 'asked' }
  | { readonly type: 'unreachable' }
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
      return state === 'unasked' || isBeforeFirstAnswer(state) ? 'firstAsked' : 'unknown'
    case 'unreachable':
      return isBeforeFirstAnswer(state) ? 'firstUnreachable' : 'unreachable'
    case 'notAsked':
    case 'failed':
      return event.type
    case 'confirmed':
      return event.isAway ? 'stale' : 'confirmed'
    case 'concealed':
      // An anonymous chat stays visible. But this tab may see another tab's login an hour late, so that needs a question.
      return state === 'confirmed' || event.isAnonymous ? 'stale' : state
    default:
      return event satisfies never
  }
}

/** Whether the site has been asked in this page, but has not answered yet. */
export const isBeforeFirstAnswer = (state: SignInState): boolean =>
  state === 'firstAsked' || state === 'firstUnreachable'

/** The part of `SignIn` through which `SiteSignIn` reads and changes its state. */
export interface SignInStore {
  readonly state: ReadonlySignal<SignInState>
  dispatch(event: SignInEvent): void
}
