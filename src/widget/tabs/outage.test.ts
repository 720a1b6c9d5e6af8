import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { report, scale, simulationRuns } from '../../testScale.ts'
import { delay } from '../async/timing.ts'
import { createRandom } from '../testing/createRandom.ts'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { adaToken, createAcme, shown, type Tab } from '../testing/fixtures.ts'
import { conversationOf, pendingOf } from '../testing/tabFixtures.ts'

/** Random numbers that are the same each time for one seed. */
function createChance(seed: number) {
  const random = createRandom((seed % 2_147_483_646) + 1)
  const below = (limit: number) => random() * limit
  return {
    below,
    happens: (probability: number) => random() < probability,
    of: <T>(list: T[]) => list[Math.floor(below(list.length))] as T,
  }
}

/**
 * Simulates tabs of one visitor who writes more during an outage than fits on a page of the history. Then the platform
 * comes back slowly: it losesResponse responses and delays the history longest, while tabs are hidden and frozen.
 */
async function outage(seed: number) {
  const { platform, browser, said } = createAcme()
  const { clock } = browser
  const chance = createChance(seed)
  const messages = said(adaToken)
  const faults = { refuses: 0, refusesHistory: 0, delaysMs: 0, losesResponse: 0 }
  const delayRandomly = () => delay(clock, chance.below(faults.delaysMs))
  const fetch = (async (url: string, init: RequestInit) => {
    const isHistory = url.endsWith('/messages/list')
    if (faults.delaysMs && chance.happens(0.7)) await delayRandomly()
    if (init.signal?.aborted) throw new TypeError('Failed to fetch')
    if (chance.happens(isHistory ? faults.refusesHistory : faults.refuses)) return problem(503, 'unavailable')
    const response = await platform.fetch(url, init)
    if (faults.delaysMs && chance.happens(0.7)) await delayRandomly()
    if (chance.happens(faults.losesResponse)) throw new TypeError('Failed to fetch')
    return response
  }) as typeof globalThis.fetch
  const cut = () => {
    for (const stream of [...platform.streams]) stream.close()
  }

  const tabs: Tab[] = [browser.openTab({ start: false, fetch })]
  await (tabs[0] as Tab).core.login(adaToken)
  for (let count = 1 + chance.below(2); count < 3; count++) {
    tabs.push(browser.openTab({ fetch }))
    await clock.advance(1000)
  }
  faults.refuses = faults.refusesHistory = 1
  cut()
  const written = tabs.map((): string[] => [])
  for (let count = 20 + chance.below(40); count > 0; count--) {
    for (const [at, tab] of tabs.entries()) {
      if (chance.happens(0.2)) continue
      const text = `${at}: ${written[at]?.length}`
      written[at]?.push(text)
      conversationOf(tab).outbox.send(text)
    }
    await clock.advance(chance.below(800))
  }
  Object.assign(faults, {
    refuses: 0,
    refusesHistory: chance.below(1),
    delaysMs: chance.below(3000),
    losesResponse: chance.below(0.3),
  })
  for (let count = 0; count < 20; count++) {
    await clock.advance(chance.below(3000))
    if (chance.happens(0.2)) chance.of(tabs).setHidden(chance.happens(0.5))
    if (chance.happens(0.1)) for (let more = 0; more < 35; more++) platform.say(messages, {})
    if (chance.happens(0.1)) cut()
    if (chance.happens(0.1)) {
      const { life } = chance.of(tabs)
      life.freeze()
      await clock.advance(chance.below(30_000))
      life.thaw()
    }
  }
  Object.assign(faults, { refusesHistory: 0, delaysMs: 0, losesResponse: 0 })
  for (let seconds = 0; seconds < 120; seconds++) {
    await clock.advance(1000)
    // Otherwise the clock goes on before everything is done that takes no time.
    for (let turn = 0; turn < 20; turn++) await settle()
  }
  return { messages, tabs, written }
}

/**
 * Seeds that once failed: a message was not shown because the fetched page began after it, or became pending again after it
 * was stored.
 */
const regressions = [34, 50, 52, 57, 1131]

describe('tabs in which many messages are written during an outage', () => {
  it('send each message once and in order, and then show none as pending', async () => {
    let count = 0
    const property = fc.asyncProperty(fc.nat(), async seed => {
      const { messages, tabs, written } = await outage(seed)
      expect(tabs.map(pendingOf)).toEqual(tabs.map(() => []))
      const stored = messages.map(({ text }) => text)
      for (const [at, texts] of written.entries()) {
        expect(stored.filter(text => text.startsWith(`${at}: `))).toEqual(texts)
        count += texts.length
      }
      for (const tab of tabs) expect(shown(tab).slice(-30)).toEqual(stored.slice(-30))
    })
    await fc.assert(property, {
      ...simulationRuns(scale.outagesOfTabs),
      examples: regressions.map(seed => [seed]),
    })
    report(`${scale.outagesOfTabs} outages, ${count} messages`)
  }, 1_800_000)
})
