import { expect, type Page, test } from '@playwright/test'
import { expectNothingLeft } from 'natter/testing'
import { openHtmlPage } from './htmlPage.ts'

// A database counts as blocked after ten seconds.

/** What the check says of a page, or nothing if it passes. */
const complaint = (page: Page): Promise<string> =>
  expectNothingLeft(page, { texts: ['Ada Lovelace'], memory: false, timeoutMs: 0 }).then(
    () => '',
    error => error.message,
  )

/** Opens a page with a database `shop`. */
async function openShop(page: Page): Promise<void> {
  await openHtmlPage(page, '<body></body>')
  await page.evaluate(
    () =>
      new Promise(resolve => {
        indexedDB.open('shop').onsuccess = resolve
      }),
  )
}

test('names a database that cannot be opened, rather than waiting for it', async ({ page }) => {
  await openShop(page)
  await page.evaluate(
    () =>
      new Promise(resolve => {
        // The connection stays open, so the deletion waits for it, and all that is asked of the database later waits, too.
        indexedDB.open('shop').onsuccess = () => {
          indexedDB.deleteDatabase('shop').onblocked = resolve
        }
      }),
  )
  expect(await complaint(page)).toContain('The database "shop" can\'t be opened')
})

test('does not take a database for blocked that the browser refuses to open', async ({ page }) => {
  await openShop(page)
  await page.evaluate(() => {
    indexedDB.open = () => {
      throw new DOMException('The page may not open databases.', 'SecurityError')
    }
    // Longer than a database is given to open.
    caches.keys = () => new Promise(resolve => setTimeout(resolve, 12_000, []))
  })
  expect(await complaint(page)).toBe('')
})
