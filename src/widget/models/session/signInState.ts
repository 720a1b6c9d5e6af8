/**
 * What is known of the site's own sign-in. Without `tokenUrl` it is always `confirmed`.
 * - `unknown`: the site is being asked, or will be when the page is visible.
 * - `unreachable`: the network or the site is in trouble, and the site is asked again.
 * - `notAsked`: somebody has ended the session on purpose, and the site is not asked until the page says so.
 * - `failed`: the site has given an answer that can't be used. It is asked again when the visitor retries or opens the chat.
 * - `stale`: the page was hidden for so long that somebody else may look at it next.
 * - `confirmed`: the session is what the site has said.
 */
export type SignInState = 'unknown' | 'unreachable' | 'notAsked' | 'failed' | 'stale' | 'confirmed'

export type SignInEvent =
  /** A question to the site begins, or waits until the page is visible. */
  | { readonly type: 'asked' }
  | { readonly type: 'unreachable' }
  | { readonly type: 'notAsked' }
  | { readonly type: 'failed' }
  /** The session follows the site's answer, or this tab has logged in. `isAway`: the page has been hidden for a minute. */
  | { readonly type: 'confirmed'; readonly isAway: boolean }
  /** The page has been hidden for a minute, or is about to be stored by the browser. */
  | { readonly type: 'concealed'; readonly isAnonymous: boolean }

/** The state after an event. Pure: `SignIn` is its one caller. */
export function nextSignInState(state: SignInState, event: SignInEvent): SignInState {
  switch (event.type) {
    case 'asked':
      return 'unknown'
    case 'unreachable':
    case 'notAsked':
    case 'failed':
      return event.type
    case 'confirmed':
      return event.isAway ? 'stale' : 'confirmed'
    case 'concealed':
      // An anonymous chat stays visible, but a login that this tab hears of later may be an hour old by then.
      return state === 'confirmed' || event.isAnonymous ? 'stale' : state
    default:
      return event satisfies never
  }
}
