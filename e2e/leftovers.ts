import { expect, type Page } from '@playwright/test'
import { expectNothingLeft, type NothingLeftOptions } from 'natter/testing'

export const name = 'Ada Lovelace'

/** What the check says of a page, or nothing if it passes. */
export const complaint = (page: Page, options: Partial<NothingLeftOptions> = {}): Promise<string> =>
  expectNothingLeft(page, { texts: [name], memory: false, timeoutMs: 0, ...options }).then(
    () => '',
    error => error.message,
  )

/** A page with functions that keep a text. */
export const html = `<script>
  function store(key, value) {
    const request = indexedDB.open('shop')
    request.onupgradeneeded = () => request.result.createObjectStore('orders')
    return new Promise((resolve, reject) => {
      request.onsuccess = () => {
        const transaction = request.result.transaction('orders', 'readwrite')
        transaction.objectStore('orders').put(value, key)
        transaction.oncomplete = resolve
        transaction.onerror = reject
      }
    })
  }
  const show = html => document.body.insertAdjacentHTML('beforeend', html)
  function attach(mode) {
    show('<shop-header>')
    return document.body.lastElementChild.attachShadow({ mode })
  }
</script><body></body>`

/** What the check says, and how the page has kept the name. */
export type Leftover = [said: string, keep: (name: string) => unknown]

/** Expects that the check names every place in which the page has kept the name. */
export async function expectAllFound(
  page: Page,
  leftovers: Leftover[],
  options?: Partial<NothingLeftOptions>,
): Promise<void> {
  for (const [, keep] of leftovers) await page.evaluate(keep, name)
  const lines = (await complaint(page, options)).split('\n')
  for (const [said] of leftovers) expect.soft(lines).toContainEqual(expect.stringContaining(said))
}
