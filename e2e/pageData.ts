import type { Page } from '@playwright/test'

/** Everything that the page's storage, caches, cookies and shadow roots contain, as one text to search. */
export async function readPageData(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases()
    const rows: unknown[] = []
    for (const { name } of databases) {
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(name ?? '')
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
      for (const store of db.objectStoreNames) {
        const all = (method: 'getAll' | 'getAllKeys') =>
          new Promise((resolve, reject) => {
            const request = db.transaction(store).objectStore(store)[method]()
            request.onsuccess = () => resolve(request.result)
            request.onerror = () => reject(request.error)
          })
        rows.push(await all('getAllKeys'), await all('getAll'))
      }
      db.close()
    }
    const shadow = [...document.querySelectorAll('*')].map(node => node.shadowRoot?.textContent ?? '').join('\n')
    const cacheNames = 'caches' in window ? await caches.keys() : []
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, rows, cacheNames, shadow, document.cookie])
  })
}
