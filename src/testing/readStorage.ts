import type { Frame } from '@playwright/test'
import type { PageText, Place } from './textSearch.ts'

/** Reads everything that the script of a frame can store, besides its document. */
export async function readStorage(frame: Frame): Promise<PageText[]> {
  return JSON.parse(await frame.evaluate(readInFrame)) as PageText[]
}

/** Runs in the browser, so it uses nothing from outside of itself. */
async function readInFrame(): Promise<string> {
  const texts: PageText[] = []

  /** Adds every text within a value, also those of files, bytes, maps and objects that contain themselves. */
  async function add(place: Place, path: string[], value: unknown, seen = new Set<object>()): Promise<void> {
    if (value === null || value === undefined) return
    if (typeof value !== 'object') return void texts.push({ place, path, text: `${value}` })
    if (seen.has(value)) return
    seen.add(value)
    if (value instanceof Blob) {
      if (value instanceof File) texts.push({ place, path: [...path, 'name'], text: value.name })
      texts.push({ place, path, text: await value.text() })
    } else if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
      texts.push({ place, path, text: new TextDecoder().decode(value) })
    } else {
      // The text of an error, a date or a pattern. That of an array would repeat its items.
      if (!Array.isArray(value)) texts.push({ place, path, text: `${value}` })
      const entries = value instanceof Map ? [...value] : Object.entries(value instanceof Set ? [...value] : value)
      for (const [key, item] of entries) {
        const name = typeof key === 'object' ? 'value' : `${key}`
        await add(place, [...path, name, 'key'], key, seen)
        await add(place, [...path, name], item, seen)
      }
    }
  }

  /** Reads one place, unless the browser denies the access, as it does to frames without an origin. */
  async function readPlace(read: () => Promise<unknown>): Promise<void> {
    try {
      await read()
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'SecurityError')) throw error
    }
  }

  async function addItems(place: Place, storage: Storage): Promise<void> {
    for (let index = 0; index < storage.length; index++) {
      const key = storage.key(index) ?? ''
      await add(place, [key, 'key'], key)
      await add(place, [key], storage.getItem(key))
    }
  }

  const resultOf = <Result>(request: IDBRequest<Result>) =>
    new Promise<Result>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })

  /** Resolves to `null` if the database has been deleted meanwhile. */
  async function openDatabase(name: string): Promise<IDBDatabase | null> {
    const request = indexedDB.open(name)
    let isNew = false
    request.onupgradeneeded = () => {
      isNew = true
      request.transaction?.abort()
    }
    return resultOf(request).catch(error => {
      if (isNew) return null
      throw error
    })
  }

  async function addDatabase(name: string): Promise<void> {
    await add('IndexedDB', [name], name)
    const database = await openDatabase(name)
    try {
      for (const storeName of database?.objectStoreNames ?? []) {
        const store = database?.transaction(storeName).objectStore(storeName)
        if (!store) continue
        const [keys, values] = await Promise.all([resultOf(store.getAllKeys()), resultOf(store.getAll())])
        for (const [index, key] of keys.entries()) {
          const path = [name, storeName, typeof key === 'object' ? JSON.stringify(key) : `${key}`]
          await add('IndexedDB', [...path, 'key'], key)
          await add('IndexedDB', path, values[index])
        }
      }
    } finally {
      database?.close()
    }
  }

  async function addCache(name: string): Promise<void> {
    await add('Cache Storage', [name], name)
    const cache = await caches.open(name)
    for (const request of await cache.keys()) {
      const path = [name, request.url]
      await add('Cache Storage', [...path, 'address'], request.url)
      await add('Cache Storage', [...path, 'request headers'], Object.fromEntries(request.headers))
      for (const response of await cache.matchAll(request)) {
        await add('Cache Storage', [...path, 'response headers'], Object.fromEntries(response.headers))
        await add('Cache Storage', [...path, 'response'], await response.text())
      }
    }
  }

  await readPlace(() => addItems('localStorage', localStorage))
  await readPlace(() => addItems('sessionStorage', sessionStorage))
  await readPlace(async () => {
    for (const cookie of document.cookie.split('; ')) await add('cookies', [cookie.split('=')[0] ?? ''], cookie)
  })
  await readPlace(async () => {
    for (const { name = '' } of await indexedDB.databases()) await addDatabase(name)
  })
  await readPlace(async () => {
    // Only secure pages have caches.
    if ('caches' in window) for (const name of await caches.keys()) await addCache(name)
  })
  await add('address', [], location.href)
  await add('history.state', [], history.state)
  await add('window.name', [], window.name)
  return JSON.stringify(texts)
}
