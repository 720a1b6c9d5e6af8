import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { report, scale, simulationRuns } from '../../testScale.ts'
import { siteSteps } from '../testing/simulatedSite.ts'
import { createSimulation } from '../testing/simulation.ts'
import { arbitraryDeliveries, arbitrarySteps, step } from '../testing/simulationPlans.ts'

const steps = [
  ...siteSteps,
  ...['site ada', 'site grace', 'site nobody', 'site works', 'site works', 'refresh', 'refresh', 'refresh'],
  ...['ada', 'grace', 'logout', 'end', 'end', 'open', 'reload', 'kill'],
  ...['send', 'send', 'draft', 'message', 'message', 'say'],
  ...['freeze', 'put away', 'come back', 'come back', 'come back', 'hide', 'hide', 'show', 'show'],
  ...['deafen', 'clear storage', 'network', 'no network', 'wait', 'wait', 'wait', 'wait', 'wait'],
  ...Array.from({ length: 16 }, () => 'deliver'),
]

const plans = fc.record({
  // Without locks, tabs of several processes may log in at one moment, and a late write then counts as a sign-out.
  tabs: fc.constantFrom({ locks: true, apart: true }, { locks: true, apart: false }, { locks: false, apart: false }),
  steps: arbitrarySteps(steps, 3),
  deliveries: arbitraryDeliveries,
})

/** Plans that once failed. */
const regressions: [typeof plans extends fc.Arbitrary<infer Plan> ? Plan : never][] = [
  // A login of another tab was seen late, and its contact was shown although the site had named somebody else since.
  [
    {
      tabs: { locks: true, apart: true },
      steps: [
        step('grace', 1, 862),
        step('deliver', 1, 918),
        step('deliver', 1, 322),
        step('ada', 0, 136),
        step('deliver', 0, 6),
        step('wait', 2, 3),
        step('kill', 1, 426),
        step('reload', 2, 600),
      ],
      deliveries: [24],
    },
  ],
  // What two tabs had written anonymously was joined, and one of them kept both for the contact whom the site named.
  [
    {
      tabs: { locks: false, apart: false },
      steps: [step('site grace', 2, 793), step('draft', 0, 399), step('message', 1, 109)],
      deliveries: [0],
    },
  ],
  // A draft that one tab had begun and another one edited anonymously was kept for the contact whom the site named.
  [
    {
      tabs: { locks: true, apart: false },
      steps: [
        step('message'),
        step('deliver', 0, 173),
        step('come back'),
        step('wait', 0, 435),
        step('draft', 1),
        step('clear storage'),
        step('site grace'),
      ],
      deliveries: [40],
    },
  ],
  // What was written while a login by the site was under way was shown to an anonymous visitor when the login had failed.
  [
    {
      tabs: { locks: true, apart: true },
      steps: [
        step('logout', 1, 999),
        step('put away', 2, 571),
        step('deliver', 1, 2),
        step('grace', 2, 185),
        step('logout', 0, 309),
        step('site ada', 1, 409),
        step('deliver', 0, 289),
        step('site grace', 0, 534),
        step('ada', 1, 441),
        step('message', 0, 2),
        step('open', 0, 996),
        step('show', 0, 516),
        step('site nobody', 2, 217),
        step('come back', 0, 394),
        step('message', 0, 648),
        step('site works', 2, 5),
        step('wait', 1, 416),
        step('site works', 2, 484),
        step('refresh', 2, 821),
        step('site nobody', 1, 127),
        step('reload', 0, 554),
        step('wait', 0, 471),
        step('site ada', 0, 961),
        step('hide', 1, 939),
        step('deliver', 0, 339),
        step('send', 1, 471),
        step('site works', 0, 237),
        step('send', 0, 384),
        step('site works', 0, 964),
        step('message', 0, 600),
        step('show', 1, 62),
        step('deliver', 0, 181),
      ],
      deliveries: [14],
    },
  ],
]

describe('any answers of the site, in any order of events', () => {
  it('nothing of a contact is visible unless the site has named them since the page was last away for a minute', async () => {
    let stepCount = 0
    const property = fc.asyncProperty(plans, async plan => {
      const simulation = createSimulation({ ...plan.tabs, hasSite: true })
      const { site, browser, platform, traffic } = simulation
      simulation.open()
      simulation.open()
      for (const step of plan.steps) await simulation.act(step)
      site?.act('site works')
      await simulation.rest(plan.deliveries)
      // A tab whose question had an answer of no use asks again on the next occasion.
      for (const tab of simulation.alive()) void tab.core.models.refreshSignIn()
      for (let turn = 0; turn < 12; turn++) {
        while (traffic.waiting) {
          traffic.deliver(0)
          await browser.clock.advance(0)
        }
        await browser.clock.advance(3000)
      }
      const signedIn = site?.site.signedIn ?? undefined
      for (const tab of simulation.alive()) {
        const { signIn, session } = tab.core.models
        expect([simulation.contactIn(tab), session.status.value]).toEqual([
          signedIn,
          signedIn ? 'identified' : 'anonymous',
        ])
        expect(signIn.isViewHidden.value).toBe(false)
      }
      for (const { messages, contact } of platform.sessions.values()) {
        const foreign = messages.filter(({ text }) => /^(ada|grace|anonymous):/.test(text)).map(({ text }) => text)
        const owner = contact?.id ?? 'anonymous'
        expect(foreign.filter(text => !text.startsWith(owner))).toEqual([])
        expect(new Set(foreign).size).toBe(foreign.length)
        const unknown = messages.filter(({ text }) => text.startsWith('unknown:')).map(({ text }) => text)
        if (contact) expect(unknown.filter(text => simulation.ownerOf(text) !== contact.id)).toEqual([])
      }
      expect(simulation.violations).toEqual([])
      stepCount += plan.steps.length
      simulation.end()
      await browser.clock.advance(0)
      expect(platform.streams.size).toBe(0)
    })
    await fc.assert(property, { ...simulationRuns(scale.interleavings), examples: regressions })
    report(`${scale.interleavings} interleavings with a site, ${stepCount} steps`)
  }, 1_800_000)
})
