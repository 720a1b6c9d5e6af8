import { setTimeout } from 'node:timers/promises'
import type { Frame, JSHandle } from '@playwright/test'
import { type PageText, type Place, sliceLength, sliceOverlap } from './textSearch.ts'

/** A database that is still being opened at two checks in a row is blocked. */
const checkEveryMs = 5_000

interface StorageReader {
  /** The next texts as JSON, and `null` after the last. */
  next(): Promise<string | null>
  /** The database that is being opened. */
  openingDatabase(): string | null
}

/**
 * Reads everything that the script of a frame can store, besides its document. Long texts come in slices. Throws an `Error`
 * that names a database which cannot be opened.
 */
export async function* readStorage(frame: Frame): AsyncIterable<PageText> {
  const reader = await frame.evaluateHandle(createReader, { sliceLength, sliceOverlap })
  const isOver = new AbortController()
  const blocked = failIfBlocked(reader, isOver.signal)
  try {
    for (;;) {
      const texts = await Promise.race([reader.evaluate(page => page.next()), blocked])
      if (texts === null) return
      yield* JSON.parse(texts) as PageText[]
    }
  } finally {
    isOver.abort()
    await reader.dispose().catch(() => undefined)
  }
}

/** Its clock is not the page's, which a test may have stopped. */
async function failIfBlocked(reader: JSHandle<StorageReader>, signal: AbortSignal): Promise<never> {
  for (let before: string | null = null; ; ) {
    await setTimeout(checkEveryMs, undefined, { signal })
    const name = await reader.evaluate(page => page.openingDatabase())
    if (name !== null && name === before)
      throw new Error(
        `The database "${name}" can't be opened, so it can't be searched. Its deletion or its upgrade waits until a page closes its connection: call \`close()\` there, also in the listener of \`versionchange\`.`,
      )
    before = name
  }
}

/** Runs in the browser, so it uses nothing from outside of itself. */
function createReader({ sliceLength, sliceOverlap }: { sliceLength: number; sliceOverlap: number }): StorageReader {
  type Texts = AsyncIterable<PageText>
  let openingDatabase: string | null = null

  function* slicesOf(place: Place, path: string[], text: string): Iterable<PageText> {
    for (let start = 0; start === 0 || start < text.length - sliceOverlap; start += sliceLength)
      yield { place, path, text: text.slice(start, start + sliceLength + sliceOverlap) }
  }

  async function* readBlob(place: Place, path: string[], blob: Blob): Texts {
    for (let start = 0; start === 0 || start < blob.size - sliceOverlap; start += sliceLength)
      yield { place, path, text: await blob.slice(start, start + sliceLength + sliceOverlap).text() }
  }

  /** Whether it is a list, or an object that may have a field named `toString`. */
  const isPlain = (value: object): boolean =>
    Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value))

  /** Yields every text within a value, also those of files, bytes, maps and objects that contain themselves. */
  async function* readValue(place: Place, path: string[], value: unknown, seen = new Set<object>()): Texts {
    if (value === null || value === undefined) return
    if (typeof value !== 'object') return yield* slicesOf(place, path, `${value}`)
    if (seen.has(value)) return
    seen.add(value)
    if (value instanceof Blob) {
      if (value instanceof File) yield { place, path: [...path, 'name'], text: value.name }
      yield* readBlob(place, path, value)
    } else if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
      yield* readBlob(place, path, new Blob([value as BlobPart]))
    } else {
      // The text of an error, a date or a pattern. That of an array would repeat its items, and a plain object has none.
      if (!isPlain(value)) yield* slicesOf(place, path, `${value}`)
      const entries = value instanceof Map ? [...value] : Object.entries(value instanceof Set ? [...value] : value)
      for (const [key, item] of entries) {
        const name = typeof key === 'object' ? 'value' : `${key}`
        yield* readValue(place, [...path, name, 'key'], key, seen)
        yield* readValue(place, [...path, name], item, seen)
      }
    }
  }

  /** Reads one place, unless the browser denies the access, as it does to frames without an origin. */
  async function* ifAllowed(read: () => Texts): Texts {
    try {
      yield* read()
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'SecurityError')) throw error
    }
  }

  async function* readItems(place: Place, storage: Storage): Texts {
    for (let index = 0; index < storage.length; index++) {
      const key = storage.key(index) ?? ''
      yield* readValue(place, [key, 'key'], key)
      yield* readValue(place, [key], storage.getItem(key))
    }
  }

  async function* readCookies(): Texts {
    for (const cookie of document.cookie.split('; ')) yield* readValue('cookies', [cookie.split('=')[0] ?? ''], cookie)
  }

  const resultOf = <Result>(request: IDBRequest<Result>) =>
    new Promise<Result>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })

  /** Resolves to `null` if the database has been deleted meanwhile. */
  async function openDatabase(name: string): Promise<IDBDatabase | null> {
    const request = indexedDB.open(name)
    openingDatabase = name
    let isNew = false
    request.onupgradeneeded = () => {
      isNew = true
      request.transaction?.abort()
    }
    try {
      return await resultOf(request)
    } catch (error) {
      if (isNew) return null
      throw error
    } finally {
      openingDatabase = null
    }
  }

  async function* readDatabase(name: string): Texts {
    yield* readValue('IndexedDB', [name], name)
    const database = await openDatabase(name)
    if (!database) return
    try {
      for (const storeName of database.objectStoreNames) {
        // Each value has a transaction of its own: one ends while a file is read.
        const records = () => database.transaction(storeName).objectStore(storeName)
        for (const key of await resultOf(records().getAllKeys())) {
          const path = [name, storeName, typeof key === 'object' ? JSON.stringify(key) : `${key}`]
          yield* readValue('IndexedDB', [...path, 'key'], key)
          yield* readValue('IndexedDB', path, await resultOf(records().get(key)))
        }
      }
    } finally {
      database.close()
    }
  }

  async function* readDatabases(): Texts {
    for (const { name = '' } of await indexedDB.databases()) yield* readDatabase(name)
  }

  async function* readCaches(): Texts {
    // Only secure pages have caches.
    if ('caches' in window) for (const name of await caches.keys()) yield* readCache(name)
  }

  async function* readCache(name: string): Texts {
    yield* readValue('Cache Storage', [name], name)
    const cache = await caches.open(name)
    for (const request of await cache.keys()) {
      const path = [name, request.url]
      yield* readValue('Cache Storage', [...path, 'address'], request.url)
      yield* readValue('Cache Storage', [...path, 'request headers'], Object.fromEntries(request.headers))
      for (const response of await cache.matchAll(request)) {
        yield* readValue('Cache Storage', [...path, 'response headers'], Object.fromEntries(response.headers))
        yield* readValue('Cache Storage', [...path, 'response'], await response.blob())
      }
    }
  }

  async function* readAll(): Texts {
    yield* ifAllowed(() => readItems('localStorage', localStorage))
    yield* ifAllowed(() => readItems('sessionStorage', sessionStorage))
    yield* ifAllowed(readCookies)
    yield* ifAllowed(readDatabases)
    yield* ifAllowed(readCaches)
    yield* readValue('address', [], location.href)
    yield* readValue('history.state', [], history.state)
    yield* readValue('window.name', [], window.name)
  }

  /** The second argument would be the result of a `toJSON()` that a library of the page adds to arrays. */
  const toJson = (value: unknown) =>
    JSON.stringify(value, function (this: Record<string, unknown>, key) {
      return this[key]
    })

  const texts = readAll()[Symbol.asyncIterator]()
  return {
    async next() {
      const batch: PageText[] = []
      for (let length = 0; length < sliceLength; ) {
        const { done, value } = await texts.next()
        if (done) return batch.length > 0 ? toJson(batch) : null
        batch.push(value)
        length += value.text.length
      }
      return toJson(batch)
    },
    openingDatabase: () => openingDatabase,
  }
}
