import type { ReadonlySignal } from '@preact/signals-core'

/**
 * How far the widget has got with asking the site who is signed in. Without `tokenUrl` the state is always `confirmed`.
 * - `unasked`: the site has not been asked in this page.
 * - `asked`: a question is open, or waits until the page is visible. Messages wait for the answer.
 * - `unreachable`: the site or the network does not respond, and the widget keeps trying. An anonymous visitor's messages no
 *   longer wait.
 * - `notAsked`: the session was ended on purpose. The site is asked again only after a login or `auth.refresh()`.
 * - `failed`: the site has given an invalid answer. It is asked again when the visitor retries or opens the chat.
 * - `stale`: the page was hidden for so long that somebody else may look at it next.
 * - `confirmed`: the session agrees with the site's answer.
 */
export type SignInState = 'unasked' | 'asked' | 'unreachable' | 'notAsked' | 'failed' | 'stale' | 'confirmed'

export type SignInEvent =
  /** A question to the site begins, or waits until the page is visible. */
  | { readonly type: 'asked' }
  | { readonly type: 'unreachable' }
  /** The site has given a token, which the platform has still to verify. Messages wait for that, too. */
  | { readonly type: 'answered' }
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
    case 'unreachable':
    case 'notAsked':
    case 'failed':
      return event.type
    case 'answered':
      return 'asked'
    case 'confirmed':
      return event.isAway ? 'stale' : 'confirmed'
    case 'concealed':
      // An anonymous chat stays visible. But this tab may see another tab's login an hour late, so that needs a question.
      return state === 'confirmed' || (event.isAnonymous && !isQuestionOpen(state)) ? 'stale' : state
    default:
      return event satisfies never
  }
}

/** Whether the site has been asked, but has not answered yet. */
const isQuestionOpen = (state: SignInState): boolean => state === 'asked' || state === 'unreachable'

/**
 * Whether somebody else than before this event may write next. Whoever writes while a question is open is the person whom the
 * site will name. What was written before it may be another person's.
 */
export const mayChangePerson = (state: SignInState, { type }: SignInEvent): boolean =>
  type === 'concealed' || (type === 'asked' && !isQuestionOpen(state))

/** The part of `SignIn` through which `SiteSignIn` reads and changes its state. */
export interface SignInStore {
  readonly state: ReadonlySignal<SignInState>
  dispatch(event: SignInEvent): void
}
