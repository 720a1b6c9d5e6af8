import type { Browser } from '@playwright/test'
import { type Cost, openProbe, type Probe } from './browser.ts'
import type { PageServer } from './pages.ts'
import type { Subject } from './peers.ts'

/** What a widget costs the page. */
export interface Loaded {
  /** The cost until the launcher is visible; `null` if there is none. */
  launcher: Cost | null
  /** The cost until the visitor can type into the panel. */
  panel: Cost
  /** From the click until the visitor can type; `null` if there is no launcher. */
  usableMs: number | null
  /** Bytes of the heap while the panel is open. */
  heap: number
  /** The longest task in all that time, or 0 if none took 50 ms. */
  longestTaskMs: number
}

const less = (one: Cost, other: Cost): Cost => ({
  bytes: one.bytes - other.bytes,
  scriptMs: one.scriptMs - other.scriptMs,
  taskMs: one.taskMs - other.taskMs,
})

/** Loads the page and opens the panel, in a browser with an empty cache. */
export async function measureLoading(
  browser: Browser,
  server: PageServer,
  { launcher, input }: Pick<Subject, 'launcher' | 'input'>,
): Promise<Loaded> {
  const context = await browser.newContext()
  const probe = await openProbe(context)
  const { page } = probe
  await page.goto(server.url, { waitUntil: 'load' })
  await probe.atRest()
  const loaded = await probe.cost()
  let longestTaskMs = await probe.longestTask(0)
  let panel = loaded
  if (launcher) {
    const click = await probe.locate(launcher)
    const [before, since] = [await probe.cost(), await probe.now()]
    await click()
    await probe.atRest()
    panel = less(await probe.cost(), less(before, loaded))
    longestTaskMs = Math.max(longestTaskMs, await probe.longestTask(since))
  }
  const result = { launcher: launcher ? loaded : null, panel, heap: await probe.heap(), longestTaskMs }
  await expectInput(probe, input)
  await context.close()
  return { ...result, usableMs: launcher ? await measureUsable(browser, server, { launcher, input }) : null }
}

/** From the click until the first frame in which the field takes text. In a page of its own, because a script watches it. */
async function measureUsable(
  browser: Browser,
  server: PageServer,
  { launcher, input }: { launcher: string; input: string },
): Promise<number> {
  const context = await browser.newContext()
  const { page, atRest, locate } = await openProbe(context)
  await page.goto(server.url, { waitUntil: 'load' })
  await atRest()
  const click = await locate(launcher)
  await page.evaluate(selector => {
    window.usable = new Promise(resolve => {
      addEventListener(
        'click',
        ({ timeStamp }) => {
          const look = () => {
            const field = window.findElement(selector) as HTMLTextAreaElement | null
            const takesText =
              field && !field.disabled && !field.readOnly && field.checkVisibility({ visibilityProperty: true })
            if (!takesText) return requestAnimationFrame(look)
            // The current frame contains it. The next task runs after that frame is painted.
            const { port1, port2 } = new MessageChannel()
            port1.onmessage = () => resolve(performance.now() - timeStamp)
            port2.postMessage(null)
            return 0
          }
          requestAnimationFrame(look)
        },
        { capture: true, once: true },
      )
    })
  }, input)
  await click()
  const usableMs = await page.evaluate(() => window.usable)
  await context.close()
  return usableMs
}

async function expectInput({ page }: Probe, input: string): Promise<void> {
  if (!(await page.locator(input).first().isEditable())) throw new Error(`No text can be put into ${input}.`)
}

/** The cost of the page without a widget. */
export const bareBody = '<textarea></textarea>'
export const measureBare = (browser: Browser, server: PageServer): Promise<Loaded> =>
  measureLoading(browser, server, { input: 'textarea' })

/** Subtracts the cost of the page without a widget. */
export const withoutPage = (widget: Loaded, bare: Loaded): Loaded => ({
  launcher: widget.launcher && less(widget.launcher, bare.panel),
  panel: less(widget.panel, bare.panel),
  usableMs: widget.usableMs,
  heap: widget.heap - bare.heap,
  longestTaskMs: widget.longestTaskMs,
})

declare global {
  interface Window {
    usable: Promise<number>
  }
}
