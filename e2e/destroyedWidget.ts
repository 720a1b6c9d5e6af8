import type { Browser, Page } from '@playwright/test'
import type { NatterClient } from 'natter/sdk'
import { activeResources, trackActiveResources } from './activeResources.ts'
import { expect } from './fixtures.ts'
import { openHtmlPage } from './htmlPage.ts'
import type { Platform } from './processes.ts'

interface MarkupAndGlobals {
  markup: string
  globals: string[]
}

/** Where the chat is in a page. */
export interface Mode {
  attributes: string
  body: string
  open(page: Page): Promise<void>
}

export const tag = ({ baseUrl, botId }: Platform, attributes = ''): string =>
  `<script src="${baseUrl}/natter.js" data-bot-id="${botId}" ${attributes}></script>`

/** The page's markup and the names of its globals. */
export const markupAndGlobals = (page: Page): Promise<MarkupAndGlobals> =>
  page.evaluate(() => ({ markup: document.documentElement.outerHTML, globals: Object.keys(window).sort() }))

/** The page's markup and globals with an empty widget script. */
export async function loadWithoutWidget(page: Page, html: string): Promise<MarkupAndGlobals> {
  await page.route('**/natter.js', route => route.fulfill({ body: '', contentType: 'text/javascript' }))
  await openHtmlPage(page, html)
  const found = await markupAndGlobals(page)
  expect(await activeResources(page)).toEqual([])
  await page.unrouteAll()
  return found
}

/** Uses the chat in two tabs and destroys it in both. Expects each page as it was without it, and that nothing goes on. */
export async function expectNothingLeftBehind(
  browser: Browser,
  platform: Platform,
  client: NatterClient,
  { attributes, body, open }: Mode,
): Promise<void> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await trackActiveResources(page)
  const html = body + tag(platform, attributes)
  const before = await loadWithoutWidget(page, html)
  await openHtmlPage(page, html)
  await open(page)
  await page.getByRole('textbox').fill('How do I return something?')
  await page.getByRole('textbox').press('Enter')
  await expect(page.getByRole('log')).toContainText(/30 days/)
  const email = `${crypto.randomUUID()}@example.com`
  await client.contacts.create({ name: 'Ada Lovelace', email })
  const { token } = await client.contactTokens.create({ email })
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)

  // The second tab synchronises with the first over a BroadcastChannel.
  const second = await page.context().newPage()
  await trackActiveResources(second)
  await second.goto(page.url())
  await open(second)
  await expect(second.getByText('Chatting as Ada Lovelace')).toBeVisible()
  const busy = async () => [...(await activeResources(page)), ...(await activeResources(second))].join()
  for (const each of ['storage of Window', 'lock natter:', 'BroadcastChannel', 'IndexedDB', 'request'])
    await expect.poll(busy).toContain(each)

  for (const each of [page, second]) {
    await each.evaluate(() => window.Natter.destroy())
    await expect.poll(() => markupAndGlobals(each)).toEqual(before)
  }
  for (const each of [page, second]) await expect.poll(() => activeResources(each)).toEqual([])
  await context.close()
}
