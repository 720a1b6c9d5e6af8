import type { Browser } from '@playwright/test'
import { type Cost, openProbe, type Probe } from './browser.ts'
import type { PageServer } from './pages.ts'
import type { Subject } from './peers.ts'

/** What a widget has cost the page. */
export interface Loaded {
  /** Until the launcher is there; `null` where there is none. */
  launcher: Cost | null
  /** Until the panel can take text. */
  panel: Cost
  /** Bytes of the heap with the panel open. */
  heap: number
  /** The longest task in all that time, 0 where none took 50 ms. */
  longestTaskMs: number
}

const less = (one: Cost, other: Cost): Cost => ({
  bytes: one.bytes - other.bytes,
  scriptMs: one.scriptMs - other.scriptMs,
})

/** Loads the page and opens the panel, in a browser that has seen nothing of it before. */
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

/** What the page costs without a widget. */
export const bareBody = '<textarea></textarea>'
export const measureBare = (browser: Browser, server: PageServer): Promise<Loaded> =>
  measureLoading(browser, server, { input: 'textarea' })

/** A widget's own part. */
export const withoutPage = (widget: Loaded, bare: Loaded): Loaded => ({
  launcher: widget.launcher && less(widget.launcher, bare.panel),
  panel: less(widget.panel, bare.panel),
  heap: widget.heap - bare.heap,
  longestTaskMs: widget.longestTaskMs,
})
