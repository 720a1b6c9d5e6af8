import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { report, scale } from '../../testScale.ts'
import { problem } from '../testing/fakePlatform.ts'
import { adaToken, createAcme, shown, type Tab } from '../testing/fixtures.ts'
import { conversationOf, pendingOf } from '../testing/tabFixtures.ts'

/** Chance that is the same each time for one seed. */
function createChance(seed: number) {
  let state = (seed % 2_147_483_646) + 1
  const below = (limit: number) => {
    state = (state * 16_807) % 2_147_483_647
    return (state / 2_147_483_647) * limit
  }
  return {
    below,
    happens: (share: number) => below(1) < share,
    of: <T>(list: T[]) => list[Math.floor(below(list.length))] as T,
  }
}

/**
 * Tabs of one visitor in which more is written while the platform is away than a page of the history holds; then it comes
 * back slowly, loses answers, and lets the history wait longest, while tabs are hidden and frozen.
 */
async function outage(seed: number) {
  const { platform, browser, said } = createAcme()
  const { clock } = browser
  const chance = createChance(seed)
  const messages = said(adaToken)
  const harm = { refuses: 0, refusesHistory: 0, delaysMs: 0, loses: 0 }
  const delay = () => new Promise<void>(resolve => void clock.setTimeout(resolve, chance.below(harm.delaysMs)))
  const fetch = (async (url: string, init: RequestInit) => {
    const isHistory = url.endsWith('/messages/list')
    if (harm.delaysMs && chance.happens(0.7)) await delay()
    if (init.signal?.aborted) throw new TypeError('Failed to fetch')
    if (chance.happens(isHistory ? harm.refusesHistory : harm.refuses)) return problem(503, 'unavailable')
    const answer = await platform.fetch(url, init)
    if (harm.delaysMs && chance.happens(0.7)) await delay()
    if (chance.happens(harm.loses)) throw new TypeError('Failed to fetch')
    return answer
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
  harm.refuses = harm.refusesHistory = 1
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
  Object.assign(harm, {
    refuses: 0,
    refusesHistory: chance.below(1),
    delaysMs: chance.below(3000),
    loses: chance.below(0.3),
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
  Object.assign(harm, { refusesHistory: 0, delaysMs: 0, loses: 0 })
  await clock.advance(120_000)
  return { messages, tabs, written }
}

/** What has once gone wrong: it waited to be shown for a page that began after it, or was kept again after it was stored. */
const found = [34, 50, 52, 57, 1131]

describe('tabs in which much is written during an outage', () => {
  it('send it once and in order, and then show none of it as on its way', async () => {
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
    await fc.assert(property, { numRuns: scale.outagesOfTabs, seed: scale.seed, examples: found.map(seed => [seed]) })
    report(`${scale.outagesOfTabs} outages, ${count} messages`)
  }, 1_800_000)
})
