// localStorage as tabs share it, in memory, for tests.
import type { Post } from './fakeTraffic.ts'

/** What goes wrong with the storage of an origin, while it does. */
export interface StorageFaults {
  /** Another part of the page has filled it: there is room for nothing that is longer than what it replaces. */
  isFull: boolean
  /** The browser denies access, as after the visitor has changed its settings. */
  isDenied: boolean
}

/**
 * Tabs of one process see each other's writes at once, and hear of them later. Tabs of several (`apart`) see them as
 * they come: the browser puts all writes in an order, which all end with; until a tab's own has its place there, the tab
 * ignores those of others to the same key.
 */
export function createFakeStorage(local: Map<string, string>, post: Post, apart: boolean, faults: StorageFaults) {
  const tabs: ((from: object, key: string, value?: string) => void)[] = []
  const put = (map: Map<string, string>, key: string, value?: string) => {
    if (value === undefined) map.delete(key)
    else map.set(key, value)
  }
  return {
    /** `onChange`: another window has written. */
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
        removeItem: (key: string) => write(key),
        clear() {
          for (const key of [...view.keys()]) write(key)
        },
      } as unknown as Storage
    },
  }
}
