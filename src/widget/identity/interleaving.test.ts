import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { report, scale, simulationRuns } from '../../testScale.ts'
import { checkInvariants } from '../testing/checkInvariants.ts'
import { createSimulation } from '../testing/simulation.ts'
import { arbitraryDeliveries, arbitrarySteps, step } from '../testing/simulationPlans.ts'

const steps = [
  ...['ada', 'ada', 'other ada', 'grace', 'grace', 'refused', 'malformed', 'logout', 'logout', 'end', 'end'],
  ...['send', 'send', 'draft', 'say', 'read', 'open', 'open', 'reload', 'kill', 'freeze', 'put away', 'come back'],
  ...[
    'come back',
    'hide',
    'show',
    'deafen',
    'clear storage',
    'clear storage unseen',
    'network',
    'no network',
    'wait',
    'wait',
    'wait',
  ],
  ...['fill storage', 'deny storage', 'mend storage', 'mend storage'],
  ...Array.from({ length: 16 }, () => 'deliver'),
]

const plans = fc.record({
  locks: fc.boolean(),
  /** Tabs in processes of their own see what others write to localStorage late. */
  apart: fc.boolean(),
  answer: fc.constantFrom('none', 'new', 'null', 'failure', 'other', 'silence'),
  steps: arbitrarySteps(steps, 3),
  deliveries: arbitraryDeliveries,
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
      deliveries: [8, 51],
    },
  ],
  // A slow database said only when a session had been created that it had a later epoch, and sessions were created for ever.
  [
    {
      locks: true,
      apart: false,
      answer: 'silence',
      steps: [
        step('send', 2, 389),
        step('deliver', 2, 669),
        step('malformed', 1, 852),
        step('clear storage unseen', 1, 314),
        step('wait', 0, 188),
      ],
      deliveries: [0],
    },
  ],
  // While the history was slow to come, what had been stored was sent again and again.
  [
    {
      locks: false,
      apart: false,
      answer: 'none',
      steps: [step('ada', 1), step('send', 1), step('deliver')],
      deliveries: [65],
    },
  ],
  // A slow database made a tab begin an epoch of its own, and a page load in that one erased what another had just stored.
  [
    {
      locks: false,
      apart: true,
      answer: 'none',
      steps: [step('deliver', 0, 2), step('wait', 0, 2), step('send'), step('deliver', 0, 2), step('fill storage')],
      deliveries: [0],
    },
  ],
  // The disk was full when Ada had logged in. What she wrote later was stored as nobody's, and erased on the next page load.
  [
    {
      locks: false,
      apart: false,
      answer: 'none',
      steps: [
        step('deliver', 0, 155),
        step('ada', 1),
        ...[267, 444, 782].map(choice => step('deliver', 0, choice)),
        step('fill storage'),
        step('deliver', 0, 204),
        step('network'),
        step('show'),
        step('send', 1),
        step('deliver', 0, 823),
        step('mend storage'),
        step('deliver', 0, 819),
      ],
      deliveries: [8],
    },
  ],
  // A slow database made a tab begin an epoch of its own. The tab with the first epoch erased what that one had stored.
  [
    {
      locks: true,
      apart: true,
      answer: 'silence',
      steps: [
        step('refused', 1, 111),
        step('deliver', 1, 840),
        step('logout', 1, 63),
        step('send', 1, 35),
        step('open', 1, 20),
        step('wait', 2, 2),
        step('logout', 2, 732),
        step('send', 2, 499),
        step('deliver', 0, 89),
        step('kill', 2, 302),
        step('deliver', 1, 216),
      ],
      deliveries: [49],
    },
  ],
  // The page emptied storage while the disk was full. The next visitor's epoch went on in the last one's, with its messages.
  [
    {
      locks: true,
      apart: false,
      answer: 'none',
      steps: [
        step('open'),
        step('wait', 0, 968),
        step('deliver', 0, 648),
        step('refused', 2),
        step('deliver', 0, 544),
        step('send'),
        step('send'),
        step('deliver', 0, 514),
        step('deliver', 0, 109),
        step('clear storage'),
        step('fill storage'),
        step('logout'),
        step('deliver', 0, 853),
      ],
      deliveries: [0],
    },
  ],
  // The same, where the last epoch was itself a first one.
  [
    {
      locks: false,
      apart: false,
      answer: 'none',
      steps: [
        step('deliver', 0, 413),
        step('deliver', 0, 984),
        step('send'),
        step('deliver', 0, 377),
        step('clear storage unseen'),
        step('fill storage'),
        step('grace'),
        step('deliver', 0, 184),
      ],
      deliveries: [0],
    },
  ],
]

describe('any order of events in several tabs', () => {
  it('every tab shows only data of its own visitor, and all tabs agree in the end', async () => {
    let stepCount = 0
    const property = fc.asyncProperty(plans, async plan => {
      const simulation = createSimulation(plan)
      simulation.open()
      simulation.open()
      for (const step of plan.steps) await simulation.act(step)
      await simulation.rest(plan.deliveries)
      stepCount += plan.steps.length
      expect(checkInvariants(simulation, plan)).toEqual([])
      simulation.end()
      await simulation.browser.clock.advance(0)
      expect(simulation.platform.streams.size).toBe(0)
    })
    await fc.assert(property, { ...simulationRuns(scale.interleavings), examples: found })
    report(`${scale.interleavings} interleavings, ${stepCount} steps`)
  }, 1_800_000)
})
