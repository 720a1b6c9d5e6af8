import { type AgentDoing, shop } from './session.ts'
import type { Stage } from './states.ts'
import { addressWith } from './switches.ts'

/** What the page's buttons do, by their `data-do`. */
export type Actions = Record<string, (button: HTMLElement) => unknown>

export function createActions({ natter, customer, expire }: Stage): Actions {
  const say = document.querySelector<HTMLTextAreaElement>('#say')
  const markdown = document.querySelector<HTMLInputElement>('#markdown')
  const agent = (what: AgentDoing['do']) => () =>
    shop.agent({ do: what, text: say?.value ?? '', format: markdown?.checked ? 'markdown' : 'plain' })

  return {
    'sign-in': ({ dataset }) => customer.signIn(dataset['as'] ?? ''),
    'sign-out': customer.signOut,
    'open-chat': () => natter.open(),
    'open-tab': () => window.open(addressWith(location.search, 'network', 'fine'), '_blank', 'noopener'),
    revoke: () => shop.end('revoke'),
    'sign-out-everywhere': () => shop.end('sign-out-everywhere'),
    'delete-contact': () => shop.end('delete-contact'),
    expire,
    write: agent('write'),
    'take-over': agent('take-over'),
    'hand-back': () => shop.agent({ do: 'hand-back' }),
    ask: ({ textContent }) => natter.message({ text: textContent }),
  }
}
