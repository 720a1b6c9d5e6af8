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
  /** The index of the tab, modulo their number. */
  tab: number
  /** Selects what is delivered, or how long to wait. */
  choice: number
}

/** The tokens that a plan logs in with. */
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

/** Generates the steps of a plan for a number of tabs. */
export const arbitrarySteps = (names: string[], tabs: number): fc.Arbitrary<Step[]> =>
  fc.array(fc.record<Step>({ do: fc.constantFrom(...names), tab: fc.nat(tabs - 1), choice: fc.nat(999) }), {
    minLength: 1,
    maxLength: 40,
    size: 'max',
  })

/** Generates the order of deliveries after the last step. */
export const arbitraryDeliveries = fc.array(fc.nat(99), { minLength: 1, maxLength: 12 })

/** Creates a step, for plans that once failed. */
export const step = (what: string, tab = 0, choice = 0): Step => ({ do: what, tab, choice })
