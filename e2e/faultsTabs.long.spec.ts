import { scale } from '../src/testScale.ts'
import type { Fault } from './faultProxy.ts'
import { expect, test, type WidgetTab } from './faultyNetwork.ts'
import { startPlatform } from './processes.ts'

// Until it counts as hanging. Each message has its own time limit.
test.setTimeout(60 * 60_000)

test.use({
  // Ten tabs that write all the time exceed the rate limit of a visitor, and would wait for most of the test.
  platform: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern.
    async ({}, use) => {
      const platform = await startPlatform({ variables: { NATTER_RATE_LIMIT: '0' } })
      await use(platform)
      await platform.stop()
    },
    { scope: 'worker' },
  ],
})

const messageCount = 1000
const messagesPerKill = 100

/** Park and Miller's pseudorandom generator, so that a run can be repeated. */
function createRandom(seed: number): (below: number) => number {
  let state = (seed % 2_147_483_646) + 1
  return below => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

/** A random fault. Some connections are fine, otherwise nothing would ever get through. */
function randomFault(random: (below: number) => number): Fault {
  const bytes = random(3000)
  const by = random(3) ? 'close' : 'reset'
  const faults: Fault[] = [
    {},
    { responseBytes: bytes, by },
    { requestBytes: bytes, by },
    { chunkSize: 1 + random(50) },
    { duplicate: true },
  ]
  return faults[random(faults.length)] ?? {}
}

/**
 * Waits until IndexedDB has done what all tabs have asked of it. Ten tabs that write all the time ask for more than it can do
 * at once, and a message is safe from the end of its tab only once it is there.
 */
const waitForDatabase = ({ page }: WidgetTab): Promise<void> =>
  page.evaluate(async () => {
    const [database] = await indexedDB.databases()
    await new Promise<void>((resolve, reject) => {
      const opening = indexedDB.open(database?.name ?? '')
      opening.onerror = () => reject(opening.error)
      opening.onsuccess = () => {
        const transaction = opening.result.transaction('records', 'readwrite')
        transaction.oncomplete = () => {
          opening.result.close()
          resolve()
        }
      }
    })
  })

/** Ends a tab: closed by the visitor, or crashed as when the browser runs out of memory. */
async function kill({ page }: WidgetTab, mode: 'close' | 'crash'): Promise<void> {
  if (mode === 'crash') {
    const session = await page.context().newCDPSession(page)
    const crashed = page.waitForEvent('crash')
    session.send('Page.crash').catch(() => {})
    await crashed
  }
  await page.close()
}

test('ten tabs show every message once and in order, although tabs that hold a stream are killed', async ({
  proxiedChat,
}) => {
  const random = createRandom(scale.seed)
  const sent = ['agent 0']
  await proxiedChat.sendAsAgent('agent 0')
  const tabs: WidgetTab[] = []
  while (tabs.length < 10) tabs.push(await proxiedChat.openTab())
  proxiedChat.proxy.plan(() => randomFault(random))
  proxiedChat.proxy.breakAll('reset')

  const lastSaid = new Map<WidgetTab, string>()
  /** The last messages of killed tabs: sent in time, or lost with the tab. */
  const uncertain: string[] = []
  const killModes = ['close', 'crash'] as const
  for (let count = 1, kills = 0; count <= messageCount; count++) {
    const speaker = tabs[random(tabs.length)]
    const byVisitor = random(2) > 0
    const text = `${byVisitor ? 'visitor' : 'agent'} ${count}`
    sent.push(text)
    if (byVisitor && speaker) {
      lastSaid.set(speaker, text)
      await speaker.say(text)
    } else await proxiedChat.sendAsAgent(text)
    if (count % messagesPerKill === 0) {
      await expect.poll(() => tabs.some(({ openStreams }) => openStreams > 0)).toBe(true)
      const holder = tabs.findIndex(({ openStreams }) => openStreams > 0)
      const [killed] = tabs.splice(holder, 1)
      const last = killed && lastSaid.get(killed)
      if (last) uncertain.push(last)
      if (killed) {
        await waitForDatabase(killed)
        await kill(killed, killModes[kills++ % 2] ?? 'close')
      }
      tabs.push(await proxiedChat.openTab())
    }
  }

  proxiedChat.proxy.plan(() => ({}))
  proxiedChat.proxy.breakAll('close')
  const [first] = tabs
  for (const text of sent.filter(each => !uncertain.includes(each)).slice(-20))
    await expect.poll(() => first?.hasReceived(text), { timeout: 30_000 }).toBe(true)
  const stored = await proxiedChat.stored()
  const expected = sent.filter(text => !uncertain.includes(text) || stored.includes(text))
  expect(stored.toSorted()).toEqual(expected.toSorted())
  for (const tab of tabs) await tab.expectAll(stored)
  console.info(`${proxiedChat.proxy.broken()} connections broken, ${stored.length} messages in ten tabs`)
})
