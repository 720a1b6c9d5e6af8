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
  /** Bytes of the heap while the panel is open. */
  heap: number
  /** The longest task in all that time, or 0 if none took 50 ms. */
  longestTaskMs: number
}

const less = (one: Cost, other: Cost): Cost => ({
  bytes: one.bytes - other.bytes,
  scriptMs: one.scriptMs - other.scriptMs,
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
  return result
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
  heap: widget.heap - bare.heap,
  longestTaskMs: widget.longestTaskMs,
})
