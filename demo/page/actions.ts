import { shop } from './session.ts'
import type { StateContext } from './states.ts'
import { urlWithChoice } from './switches.ts'

/** The actions of the page's buttons, by their `data-do`. */
export type Actions = Record<string, (button: HTMLElement) => unknown>

export function createActions({ natter, customer, expire }: StateContext): Actions {
  return {
    'sign-in': ({ dataset }) => customer.signIn(dataset['as'] ?? ''),
    'sign-out': customer.signOut,
    'open-chat': () => natter.open(),
    'open-tab': () => window.open(urlWithChoice(location.search, 'network', 'fine'), '_blank', 'noopener'),
    revoke: () => shop.end('revoke'),
    'sign-out-everywhere': () => shop.end('sign-out-everywhere'),
    'delete-contact': () => shop.end('delete-contact'),
    'expire-session': () => shop.end('expire-session'),
    expire,
    ask: ({ textContent }) => natter.message({ text: textContent }),
  }
}
