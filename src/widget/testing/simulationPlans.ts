import fc from 'fast-check'
import type { FakePlatform } from './fakePlatform.ts'
import { ada, adaToken, contactToken, grace, graceToken, type Tab } from './fixtures.ts'

export interface Actor extends Tab {
  name: string
  putAway: boolean
  offline: boolean
}

export interface Step {
  do: string
  /** Which tab, of those that are there. */
  tab: number
  /** Which of what waits, or how long. */
  choice: number
}

/** With whom a plan logs in. */
export const tokens: Record<string, string> = {
  ada: adaToken,
  'other ada': contactToken('e'),
  grace: graceToken,
  refused: contactToken('f'),
  malformed: 'nonsense',
}

export function addContacts(platform: FakePlatform): void {
  platform.addContact(tokens['ada'] as string, ada)
  platform.addContact(tokens['other ada'] as string, ada)
  platform.addContact(tokens['grace'] as string, grace)
}

/** What happens to so many tabs, one after the other. */
export const arbitrarySteps = (names: string[], tabs: number): fc.Arbitrary<Step[]> =>
  fc.array(fc.record<Step>({ do: fc.constantFrom(...names), tab: fc.nat(tabs - 1), choice: fc.nat(999) }), {
    minLength: 1,
    maxLength: 40,
    size: 'max',
  })

/** In which order what is on its way arrives when all has happened. */
export const arbitraryDeliveries = fc.array(fc.nat(99), { minLength: 1, maxLength: 12 })

/** One of them, for what has once gone wrong. */
export const step = (what: string, tab = 0, choice = 0): Step => ({ do: what, tab, choice })
