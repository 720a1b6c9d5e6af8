import type { CDPSession, Page } from '@playwright/test'
import { labelOf, readClosedRoots, readDocument } from './readDocument.ts'
import { readStorage } from './readStorage.ts'
import { searchDocument } from './searchDocument.ts'
import { searchMemory } from './searchMemory.ts'
import { createSearch, type Finding, type Search, type SearchedText } from './textSearch.ts'

export interface SearchOptions {
  /**
   * What belongs to the person: name, words of messages, token. A string is also found percent-encoded and within JSON. Upper
   * and lower case differ. Choose words that the page doesn't contain anyway.
   */
  texts: readonly SearchedText[]
  /** Whether to search the memory, too, which works in Chromium only. Default `true`. */
  memory?: boolean
}

/**
 * Searches what a page has stored, shows and has in memory. Use it before the sign-out, to see that the texts are there at
 * all. Throws a `TypeError` if `texts` is empty, and an `Error` if the memory can't be searched.
 *
 * @example
 * const [found] = await searchPage(page, { texts: [/c:[0-9a-f]{64}/], memory: false })
 * const token = found?.text
 */
export async function searchPage(page: Page, { texts, memory = true }: SearchOptions): Promise<Finding[]> {
  const search = createSearch(texts)
  const findings = await searchStored(page, search)
  return memory ? [...findings, ...(await searchMemoryOf(page, search))] : findings
}

/** Searches storage and document of the page and of its frames. */
export async function searchStored(page: Page, search: Search): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const frame of page.frames()) {
    try {
      const outer = frame === page.mainFrame() ? [] : [`frame ${frame.url()}`]
      for await (const { path, ...text } of readStorage(frame))
        findings.push(...search({ ...text, path: [...outer, ...path] }))
      findings.push(...searchDocument(await readDocument(frame), search, outer))
    } catch (error) {
      // Frames come and go. What was in one that is gone is gone, too.
      if (!frame.isDetached()) throw error
    }
  }
  const closed = await withDevtools(page, readClosedRoots)
  return [
    ...findings,
    ...(closed ?? []).flatMap(({ path, root }) => searchDocument(root, search, [...path, labelOf(root)])),
  ]
}

/** Searches the memory of the page's scripts. */
export async function searchMemoryOf(page: Page, search: Search): Promise<Finding[]> {
  if (await page.evaluate(isTraced))
    throw new Error(
      "A trace keeps what the page has shown in the page's memory. Turn it off with `test.use({ trace: 'off' })`, or leave out the memory with `memory: false`.",
    )
  // Chromium remembers the last text that a regular expression was matched with. Replace the last one of Playwright.
  await page.locator(':root').filter({ hasText: /^$/ }).count()
  const findings = await withDevtools(page, devtools => searchMemory(devtools, search))
  if (!findings)
    throw new Error(
      "The memory can be searched in Chromium only. In other browsers pass `memory: false`, such as `memory: browserName === 'chromium'`.",
    )
  return findings
}

/** Runs in the browser. While Playwright records a trace, it puts its recorder into the page. */
const isTraced = () =>
  Object.getOwnPropertyNames(window).some(name => name.startsWith('__playwright_snapshot_streamer_'))

/** Resolves to `null` in browsers without Chromium's developer tools. */
async function withDevtools<Result>(
  page: Page,
  use: (devtools: CDPSession) => Promise<Result>,
): Promise<Result | null> {
  const browser = page.context().browser()
  if (browser && browser.browserType().name() !== 'chromium') return null
  const devtools = await page.context().newCDPSession(page)
  try {
    return await use(devtools)
  } finally {
    await devtools.detach()
  }
}
