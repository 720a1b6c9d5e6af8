import type { UpdateRecords } from '../store/database.ts'
import type { StorageFaults } from './fakeStorage.ts'

/** Creates an in-memory database. */
export const createMemoryUpdate =
  (records: Map<string, unknown>, faults: Partial<StorageFaults> = {}): UpdateRecords =>
  async (keys, change) => {
    if (faults.isDenied) throw new DOMException('Access is denied', 'SecurityError')
    const found = Object.fromEntries(keys.map(key => [key, records.get(key)]))
    const changed = Object.entries(change(found, [...records.keys()]))
    // The transaction is aborted.
    if (faults.isFull && changed.length) throw new DOMException('Full', 'QuotaExceededError')
    for (const [key, record] of changed) {
      if (record === undefined) records.delete(key)
      // Blobs of happy-dom can't be cloned.
      else records.set(key, record instanceof Blob ? record : structuredClone(record))
    }
  }
