import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { report, scale } from '../../../testScale.ts'
import { verdict } from '../../testing/checkInvariants.ts'
import { createPlay } from '../../testing/simulation.ts'
import { arbitraryAfter, arbitrarySteps, step } from '../../testing/simulationPlans.ts'

const steps = [
  ...['ada', 'ada', 'other ada', 'grace', 'grace', 'refused', 'malformed', 'logout', 'logout', 'end', 'end'],
  ...['send', 'send', 'draft', 'say', 'read', 'open', 'open', 'reload', 'kill', 'freeze', 'put away', 'come back'],
  ...['come back', 'hide', 'show', 'deafen', 'clear storage', 'network', 'no network', 'wait', 'wait', 'wait'],
  ...Array.from({ length: 16 }, () => 'deliver'),
]

const plans = fc.record({
  locks: fc.boolean(),
  /** Tabs in processes of their own see what others write to localStorage late. */
  apart: fc.boolean(),
  answer: fc.constantFrom('none', 'new', 'null', 'failure', 'other', 'silence'),
  steps: arbitrarySteps(steps, 3),
  after: arbitraryAfter,
})

/** What has once gone wrong. */
const found: [typeof plans extends fc.Arbitrary<infer Plan> ? Plan : never][] = [
  // A slow database answered only after the next login, and what had been said anonymously was told to Ada.
  [
    {
      locks: true,
      apart: false,
      answer: 'none',
      steps: [
        step('send'),
        step('wait', 0, 32),
        step('deliver', 0, 339),
        step('deliver', 0, 787),
        step('ada', 1),
        step('ada'),
      ],
      after: [8, 51],
    },
  ],
  // While the history was slow to come, what had been stored was sent again and again.
  [
    {
      locks: false,
      apart: false,
      answer: 'none',
      steps: [step('ada', 1), step('send', 1), step('deliver')],
      after: [65],
    },
  ],
]

describe('whatever the order', () => {
  it('every tab shows what is of the one whom it has identified, and all agree in the end', async () => {
    let taken = 0
    const property = fc.asyncProperty(plans, async plan => {
      const play = createPlay(plan)
      play.open()
      play.open()
      for (const step of plan.steps) await play.act(step)
      await play.rest(plan.after)
      taken += plan.steps.length
      expect(verdict(play, plan)).toEqual([])
      play.end()
      await play.browser.clock.advance(0)
      expect(play.platform.streams.size).toBe(0)
    })
    await fc.assert(property, { numRuns: scale.interleavings, seed: scale.seed, endOnFailure: true, examples: found })
    report(`${scale.interleavings} interleavings, ${taken} steps`)
  }, 1_800_000)
})
