// An in-memory localStorage that tabs share.
import type { Post } from './fakeTraffic.ts'

/** The current faults of an origin's storage. */
export interface StorageFaults {
  /** The storage is full: a value must not be longer than the one it replaces. */
  isFull: boolean
  /** The browser denies access, for example because the visitor has changed the settings. */
  isDenied: boolean
}

/**
 * Tabs of the same process see each other's writes at once and get the `storage` event later. Tabs of several processes
 * (`apart`) see a write when it arrives. The browser puts all writes in one order, which decides the final value. Until a
 * tab's own write has its place in that order, the tab ignores writes of others to the same key.
 */
export function createFakeStorage(local: Map<string, string>, post: Post, apart: boolean, faults: StorageFaults) {
  const tabs: ((from: object, key: string, value?: string) => void)[] = []
  const put = (map: Map<string, string>, key: string, value?: string) => {
    if (value === undefined) map.delete(key)
    else map.set(key, value)
  }
  return {
    /** `onChange` is called when another window has written. */
    openTab(name: string, self: object, onChange: () => void): Storage {
      const view = apart ? new Map(local) : local
      const unordered: string[] = []
      tabs.push((from, key, value) =>
        post(`storage to ${name}`, () => {
          const own = unordered.indexOf(key)
          if (from === self) unordered.splice(own, 1)
          else if (own < 0 || !apart) {
            if (apart) put(view, key, value)
            onChange()
          }
        }),
      )
      const write = (key: string, value?: string) => {
        put(view, key, value)
        unordered.push(key)
        const order = () => {
          put(local, key, value)
          for (const notify of tabs) notify(self, key, value)
        }
        if (apart) post(`storage of ${name}`, order)
        else order()
      }
      return {
        getItem: (key: string) => view.get(key) ?? null,
        setItem(key: string, value: string) {
          if (faults.isFull && value.length > (view.get(key)?.length ?? 0)) {
            throw new DOMException('Full', 'QuotaExceededError')
          }
          write(key, value)
        },
        removeItem(key: string) {
          // Browsers tell nobody of an entry that the tab did not see.
          if (view.has(key)) write(key)
        },
        clear() {
          for (const key of [...view.keys()]) write(key)
        },
      } as unknown as Storage
    },
  }
}
