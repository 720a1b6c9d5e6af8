import fc from 'fast-check'
import type { Step } from './simulation.ts'

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
