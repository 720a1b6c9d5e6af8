import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from '@playwright/test'
import { findChromium } from '../../chromium.ts'

/** Makes the CPU as slow as that of a modest phone. */
export const slowdown = 4

/** The cost of a page so far. */
export interface Cost {
  /** Bytes on the wire, including headers. */
  bytes: number
  /** The time of compiling and running scripts on the main thread. Chrome does not count what promises call. */
  scriptMs: number
  /** The time of all tasks of the main thread: also styles, layout, painting, and what promises call. */
  taskMs: number
}

/** A page that is being measured. No method runs a script in it, unless its comment says so. */
export interface Probe {
  page: Page
  session: CDPSession
  cost(): Promise<Cost>
  /** Resolves when network and scripts have been idle for a while. */
  atRest(): Promise<void>
  /**
   * Clicks on the centre of an element, as a mouse does. Finding the element runs a script: read the cost after `locate`.
   */
  locate(selector: string): Promise<() => Promise<void>>
  /** Bytes of the heap after a garbage collection. */
  heap(): Promise<number>
  /** The longest task that began between two times of the page's clock, or 0 if none took 50 ms. Runs a script. */
  longestTask(from: number, until?: number): Promise<number>
  now(): Promise<number>
}

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium(),
    chromiumSandbox: process.getuid?.() !== 0,
    // Requests to other hosts, such as for fonts, are blocked, so that their cost is not counted.
    args: ['--disable-gpu', '--disable-quic', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  })

export async function openProbe(context: BrowserContext, rate: number = slowdown): Promise<Probe> {
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const received = new Map<string, number>()
  let lastHappened = performance.now()
  const note = (requestId: string, bytes: number) => {
    received.set(requestId, (received.get(requestId) ?? 0) + bytes)
    lastHappened = performance.now()
  }
  session.on('Network.responseReceived', ({ requestId, response }) => note(requestId, response.encodedDataLength))
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => note(requestId, encodedDataLength))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    lastHappened = performance.now()
    received.set(requestId, encodedDataLength)
  })
  session.on('Network.requestWillBeSent', () => {
    lastHappened = performance.now()
  })
  await session.send('Network.enable')
  await session.send('Performance.enable')
  await session.send('Emulation.setCPUThrottlingRate', { rate })
  await page.addInitScript(() => {
    window.longTasks = []
    new PerformanceObserver(list => window.longTasks.push(...list.getEntries())).observe({ type: 'longtask' })
    const find = (scope: ParentNode, part: string): Element | null => {
      const found = scope.querySelector(part)
      if (found) return found
      for (const { shadowRoot } of [scope as Element, ...scope.querySelectorAll('*')]) {
        const inside = shadowRoot && find(shadowRoot, part)
        if (inside) return inside
      }
      return null
    }
    window.findElement = selector =>
      selector
        .split(/ (?![^(]*\))/)
        .reduce<Element | null>((scope, part) => scope && find(scope, part), document.documentElement)
  })

  const cost = async (): Promise<Cost> => {
    const { metrics } = await session.send('Performance.getMetrics')
    const seconds = (name: string) => metrics.find(metric => metric.name === name)?.value ?? 0
    return {
      bytes: [...received.values()].reduce((sum, bytes) => sum + bytes, 0),
      scriptMs: (seconds('ScriptDuration') + seconds('V8CompileDuration')) * 1000,
      taskMs: seconds('TaskDuration') * 1000,
    }
  }

  return {
    page,
    session,
    cost,
    async atRest() {
      for (let before = -1, still = 0; still < 8; ) {
        await sleep(100)
        const { scriptMs } = await cost()
        still = scriptMs === before && performance.now() - lastHappened > 500 ? still + 1 : 0
        before = scriptMs
      }
    },
    async locate(selector) {
      const middle = await page.evaluate(middleOf, selector)
      if (!middle) throw new Error(`There is nothing to click on: ${selector}`)
      const place = { ...middle, button: 'left', clickCount: 1 } as const
      return async () => {
        await session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...place, button: 'none' })
        await session.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...place })
        await session.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...place })
      }
    },
    async heap() {
      for (let times = 0; times < 3; times++) await session.send('HeapProfiler.collectGarbage')
      return (await session.send('Runtime.getHeapUsage')).usedSize
    },
    longestTask: (from, until = Number.MAX_VALUE) =>
      page.evaluate(
        ([first, last]) => {
          const tasks = window.longTasks.filter(({ startTime }) => startTime >= first && startTime <= last)
          return Math.max(0, ...tasks.map(({ duration }) => duration))
        },
        [from, until] as const,
      ),
    now: () => page.evaluate(() => performance.now()),
  }
}

/** The centre of an element. */
function middleOf(selector: string): { x: number; y: number } | null {
  const found = window.findElement(selector)
  if (!found) return null
  const { x, y, width, height } = found.getBoundingClientRect()
  return { x: x + width / 2, y: y + height / 2 }
}

declare global {
  interface Window {
    longTasks: PerformanceEntry[]
    /**
     * Each space of the selector enters a shadow root. Playwright's locators are not used, because the script that they
     * inject is as large as some of the widgets.
     */
    findElement(selector: string): Element | null
  }
}
