import { scale } from '../src/testScale.ts'
import type { Fault } from './faultProxy.ts'
import { expect, type Tab, test } from './faultyNetwork.ts'

// A trace of ten tabs would cost more than the test.
test.use({ trace: 'off' })
test.setTimeout(4 * scale.proxiedMinutes * 60_000)

/** Repeatable chance: Park and Miller's. */
function createChance(seed: number): (below: number) => number {
  let state = (seed % 2_147_483_646) + 1
  return below => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

/** What a bad line does to a connection; some are fine, or nothing would ever get through. */
function randomFault(chance: (below: number) => number): Fault {
  const bytes = chance(3000)
  const by = chance(3) ? 'close' : 'reset'
  const faults: Fault[] = [
    {},
    { answered: bytes, by },
    { asked: bytes, by },
    { slice: 1 + chance(50) },
    { twice: true },
  ]
  return faults[chance(faults.length)] ?? {}
}

/** Ends a tab as a visitor does, or as a browser does that is out of memory. */
async function kill({ page }: Tab, way: 'close' | 'crash'): Promise<void> {
  if (way === 'crash') {
    const session = await page.context().newCDPSession(page)
    const crashed = page.waitForEvent('crash')
    session.send('Page.crash').catch(() => {})
    await crashed
  }
  await page.close()
}

test('ten tabs show every message once and in order, though the one that holds the stream is killed', async ({
  talk,
}) => {
  const chance = createChance(scale.seed)
  const said = ['agent 0']
  await talk.agentSays('agent 0')
  const tabs: Tab[] = []
  while (tabs.length < 10) tabs.push(await talk.openTab())
  talk.proxy.plan(() => randomFault(chance))
  talk.proxy.breakAll('reset')

  /** What killed tabs have said at last: written down in time, or gone with them. */
  const perhaps: string[] = []
  const killModes = ['close', 'crash'] as const
  for (let count = 1, killings = 0; count <= scale.proxiedMessages; count++) {
    const speaker = tabs[chance(tabs.length)]
    const text = chance(2) ? `visitor ${count}` : `agent ${count}`
    said.push(text)
    await (text.startsWith('visitor') ? speaker?.say(text) : talk.agentSays(text))
    if (count % scale.messagesPerKill === 0) {
      await expect.poll(() => tabs.some(({ streams }) => streams > 0)).toBe(true)
      const holder = tabs.findIndex(({ streams }) => streams > 0)
      const [killed] = tabs.splice(holder, 1)
      if (killed === speaker) perhaps.push(text)
      if (killed) await kill(killed, killModes[killings++ % 2] ?? 'close')
      tabs.push(await talk.openTab())
    }
  }

  talk.proxy.plan(() => ({}))
  talk.proxy.breakAll('close')
  const [first] = tabs
  for (const text of said.filter(each => !perhaps.includes(each)).slice(-20))
    await expect.poll(() => first?.hasHeard(text), { timeout: 30_000 }).toBe(true)
  const stored = await talk.stored()
  const sure = said.filter(text => !perhaps.includes(text) || stored.includes(text))
  expect(stored.toSorted()).toEqual(sure.toSorted())
  for (const tab of tabs) await tab.expectAll(stored)
  console.info(`${talk.proxy.broken()} connections broken, ${stored.length} messages in ten tabs`)
})
