import { expect, type Page, test } from '@playwright/test'
import { openHtmlPage } from './htmlPage.ts'
import { complaint, expectAllFound, html, type Leftover, name } from './leftovers.ts'

/** A function of the page. */
declare const store: (key: IDBValidKey, value: unknown) => Promise<void>

/** Texts that are too long to be read at once. */
const long: Leftover[] = [
  [
    `sessionStorage › letter: "${name}" in "`,
    name => sessionStorage.setItem('letter', '-'.repeat(1_000_000 - 5) + name + '-'.repeat(1_000_000)),
  ],
  [
    `IndexedDB › shop › orders › 5 › film: "${name}" in "`,
    name => {
      const megabyte = new Uint8Array(1_000_000).fill(45)
      return store(5, { film: new Blob([...Array(20).fill(megabyte), megabyte.subarray(5), name, megabyte]) })
    },
  ],
]

test('finds what a page has left in texts that are too long to be read at once', async ({ page }) => {
  await openHtmlPage(page, html)
  await expectAllFound(page, long)
})

test('what Playwright has compared before does not count as left in memory', async ({ page }) => {
  await openHtmlPage(page, '<body><p>Hello Ada Lovelace</p></body>')
  await expect(page.locator('p')).toContainText('Ada Lovelace')
  await expect(page.getByText('Ada Lovelace')).toBeVisible()
  await page.evaluate(() => document.querySelector('p')?.remove())
  expect(await complaint(page, { memory: true, timeoutMs: 5_000 })).toBe('')
})

// A database counts as blocked after ten seconds.

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
