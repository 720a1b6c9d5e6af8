import type { Browser } from '@playwright/test'
import { openProbe } from './browser.ts'
import { launcher } from './opening.ts'
import { servePage } from './pages.ts'
import type { Home } from './platform.ts'

interface TraceEvent {
  name: string
  /** Microseconds. */
  ts: number
}

/**
 * The longest time in milliseconds without a new frame on the screen while the panel moves in, of each round. The panel's
 * chunks are cached. The frames are those that the compositor draws: it moves the panel also while the page runs a script.
 */
export async function measureMotion(browser: Browser, home: Home, rounds: number): Promise<number[]> {
  const server = await servePage({ body: home.subject().embed })
  const longest: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const context = await browser.newContext()
    const { page, locate, atRest } = await openProbe(context)
    await page.goto(server.url)
    await page.locator(launcher).hover()
    await atRest()
    const click = await locate(launcher)
    await page.evaluate(() => {
      const root = document.querySelector('[data-natter]')?.shadowRoot
      for (const type of ['animationstart', 'animationend'] as const)
        root?.addEventListener(type, ({ target }) => {
          if ((target as Element).matches('[role="dialog"]')) performance.mark(type)
        })
    })
    const categories = ['disabled-by-default-devtools.timeline.frame', 'blink.user_timing']
    await browser.startTracing(page, { categories })
    await click()
    await page.waitForFunction(() => performance.getEntriesByName('animationend').length > 0)
    const { traceEvents } = JSON.parse(`${await browser.stopTracing()}`) as { traceEvents: TraceEvent[] }
    if (round > 0) longest.push(longestPause(traceEvents))
    await context.close()
  }
  await server.stop()
  return longest
}

function longestPause(events: TraceEvent[]): number {
  const at = (mark: string): number => events.find(({ name }) => name === mark)?.ts ?? Number.NaN
  const [begun, ended] = [at('animationstart'), at('animationend')]
  const frames = events
    .filter(({ name, ts }) => name === 'DrawFrame' && ts > begun && ts < ended)
    .map(({ ts }) => ts)
    .toSorted((one, other) => one - other)
  const times = [begun, ...frames, ended]
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time))) / 1000
}
