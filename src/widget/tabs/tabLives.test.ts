import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { report, scale, simulationRuns } from '../../testScale.ts'
import { checkInvariants } from '../testing/checkInvariants.ts'
import { settle } from '../testing/fakeClock.ts'
import { createSimulation } from '../testing/simulation.ts'
import { arbitraryDeliveries, arbitrarySteps, step } from '../testing/simulationPlans.ts'

const steps = [
  ...['send', 'send', 'send', 'draft', 'read', 'say', 'say', 'open', 'open', 'reload', 'kill', 'freeze', 'put away'],
  ...['come back', 'come back', 'hide', 'show', 'network', 'no network', 'wait', 'wait'],
  ...Array.from({ length: 14 }, () => 'deliver'),
]

const plans = fc.record({
  locks: fc.constantFrom(true, true, true, false),
  most: fc.integer({ min: 2, max: 5 }),
  steps: arbitrarySteps(steps, 5),
  deliveries: arbitraryDeliveries,
})

/** Plans that once failed. */
const regressions: [typeof plans extends fc.Arbitrary<infer Plan> ? Plan : never][] = [
  // A text written while another tab opened was missing in that tab.
  [{ locks: true, most: 2, steps: [step('draft'), step('draft'), step('send')], deliveries: [0, 11] }],
  // Messages read in a follower counted as unread in a tab that opened at that moment.
  [
    {
      locks: true,
      most: 2,
      steps: [step('deliver', 0, 74), step('send', 1), step('read', 1)],
      deliveries: [20, 18, 5],
    },
  ],
  // A tab that learned of the second message first also sent it first.
  [
    {
      locks: true,
      most: 5,
      steps: [
        step('deliver', 0, 128),
        step('deliver', 0, 7),
        step('deliver', 0, 827),
        step('send', 4),
        step('wait', 0, 87),
        step('send', 4),
        step('send', 1),
      ],
      deliveries: [0],
    },
  ],
  // A page was left before the database had its two messages, and both were sent at once.
  [
    {
      locks: true,
      most: 2,
      steps: [
        step('say', 1, 154),
        step('send', 2, 531),
        step('say', 2, 313),
        step('deliver', 4, 358),
        step('send', 0, 763),
        step('put away', 2, 472),
      ],
      deliveries: [0],
    },
  ],
  // The sending tab learned of another tab's second message before it had read the first.
  [
    {
      locks: true,
      most: 4,
      steps: [
        step('deliver', 0, 664),
        step('send', 3),
        step('deliver', 0, 479),
        step('deliver', 0, 668),
        step('send', 3),
        step('send'),
        step('come back', 3),
        step('put away', 2),
        step('deliver', 0, 441),
      ],
      deliveries: [1, 68, 74, 67, 85, 40, 3, 68, 32, 42],
    },
  ],
]

describe('random events in several tabs of one visitor', () => {
  it('leave each message once and in order in all tabs, which agree on the draft and on what has been read', async () => {
    let written = 0
    const property = fc.asyncProperty(plans, async plan => {
      const simulation = createSimulation(plan)
      simulation.open()
      await simulation.act({ do: 'ada', tab: 0, choice: 0 })
      await simulation.rest()
      for (let count = 1; count < plan.most; count++) simulation.open()
      for (const step of plan.steps) await simulation.act(step)
      await simulation.rest(plan.deliveries)
      expect(checkInvariants(simulation, plan)).toEqual([])
      const stored = simulation.messagesOf('ada').map(({ text }) => text)
      // A text written before the contact is known is lost with its page, and so is everything in a page that dies.
      const certain = simulation.written.filter(
        ({ how, tab, label }) => how === 'send' && label === 'ada' && !tab.life.end.aborted,
      )
      written += certain.length
      expect(certain.map(({ text }) => text).filter(text => !stored.includes(text))).toEqual([])
      // Messages that the browser had not stored when the page was left are sent at once, and arrive in any order.
      const lastRequests = simulation.platform.log.filter(({ path, keepalive }) => path === '/messages' && keepalive)
      const sentAtOnce = lastRequests.map(({ body }) => (body as { text: string }).text)
      for (const tab of simulation.alive()) {
        const own = certain.filter(each => each.tab === tab && !sentAtOnce.includes(each.text)).map(({ text }) => text)
        expect(stored.filter(text => own.includes(text))).toEqual(own)
      }
      simulation.end()
      await settle()
      expect([
        simulation.platform.streams.size,
        simulation.browser.origin.channels.size,
        simulation.browser.origin.held(),
      ]).toEqual([0, 0, []])
    })
    await fc.assert(property, { ...simulationRuns(scale.livesOfTabs), examples: regressions })
    report(`${scale.livesOfTabs} lives of tabs, ${written} messages`)
  }, 1_800_000)
})
