import { stringify } from '../api/stringify.ts'
import type { UpdateRecords } from './database.ts'
import { type OpenStorage, readEntry, removeEntry, writeEntry } from './entries.ts'

export type TabEntries = ReturnType<typeof createTabEntries>

/**
 * The entries of a storage as one tab has them: what the browser refuses to store is kept in memory. When the entry
 * `identityKey` changes, that may be another person's and is dropped.
 */
export function createTabEntries(open: OpenStorage, identityKey: string) {
  const memory = new Map<string, string>()
  /** The stored identity when `memory` was written. */
  let identity: string | null = null

  /** Keeps the value in memory unless the browser has stored it. */
  function keep(key: string, value: string, isStored: boolean): void {
    if (isStored) memory.delete(key)
    else memory.set(key, value)
    identity = readEntry(open, identityKey)
  }

  return {
    open,
    keep,
    get(key: string): string | null {
      if (readEntry(open, identityKey) !== identity) memory.clear()
      return memory.get(key) ?? readEntry(open, key)
    },
    set: (key: string, value: string): void => keep(key, value, writeEntry(open, key, value)),
    remove(key: string): void {
      memory.delete(key)
      removeEntry(open, key)
    },
    /** Whether the browser has refused to store the identity. */
    isBlocked: (): boolean => memory.has(identityKey),
  }
}

/** Stores records as entries, in place of IndexedDB, where `persist` keeps the visitor's data from other tabs. */
export const updateEntries =
  (botId: string, { get, set, remove }: TabEntries): UpdateRecords =>
  async (keys, edit) => {
    const entryOf = (key: string) => `natter:${botId}:${key}`
    const records = Object.fromEntries(keys.map(key => [key, JSON.parse(get(entryOf(key)) ?? 'null')]))
    const changes = Object.entries(edit(records, []))
    if (changes.some(([, record]) => record instanceof Blob))
      throw new TypeError('A file can only be kept in IndexedDB')
    for (const [key, record] of changes) {
      if (record !== undefined) set(entryOf(key), stringify(record))
      else remove(entryOf(key))
    }
  }
