/**
 * What is known of the site's own sign-in. Without `tokenUrl` it is always `confirmed`.
 * - `unasked`: the site has not been asked in this page.
 * - `firstAsked`: it is being asked for the first time, or will be when the page is visible. The visitor who writes meanwhile is
 *   the one whom it names: what has been begun in this page and not been sent goes on in the session of that contact. All that
 *   is anonymous and older than this page, or later than its first answer, goes with a login, as it may be somebody else's.
 * - `unknown`: it is being asked again, or will be when the page is visible.
 * - `unreachable`: the network or the site is in trouble, and the site is asked again.
 * - `notAsked`: somebody has ended the session on purpose, and the site is not asked until the page says so.
 * - `failed`: the site has given an answer that can't be used. It is asked again when the visitor retries or opens the chat.
 * - `stale`: the page was hidden for so long that somebody else may look at it next.
 * - `confirmed`: the session is what the site has said.
 */
export type SignInState =
  | 'unasked'
  | 'firstAsked'
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
  /** The session follows the site's answer, or this tab has logged in. `isAway`: the page has been hidden for a minute. */
  | { readonly type: 'confirmed'; readonly isAway: boolean }
  /** The page has been hidden for a minute, or is about to be stored by the browser. */
  | { readonly type: 'concealed'; readonly isAnonymous: boolean }

/** The state after an event. Pure: `SignIn` is its one caller. */
export function nextSignInState(state: SignInState, event: SignInEvent): SignInState {
  switch (event.type) {
    case 'asked':
      return state === 'unasked' || state === 'firstAsked' ? 'firstAsked' : 'unknown'
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
