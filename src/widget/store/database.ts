import { createStore, promisifyRequest } from 'idb-keyval'
import { withTimeout } from '../async/timing.ts'
import type { Clock } from '../environment/clock.ts'

export type StoredRecords = Readonly<Record<string, unknown>>

/**
 * Reads the records under `keys` and writes the records that `edit` returns, in one transaction. `undefined` deletes a
 * record. `allKeys` are the keys of all records.
 */
export type UpdateRecords = (keys: readonly string[], edit: EditRecords) => Promise<void>
type EditRecords = (records: StoredRecords, allKeys: readonly string[]) => StoredRecords

/** A database that never answers (this happens after a browser crash) must not keep a session from starting. */
const databaseTimeoutMs = 2000

const nothing = () => {}

/** Resolves to whether the records were updated within 2 s. After `false` the update may still happen. */
export const updateInTime = (
  update: UpdateRecords,
  clock: Clock,
  keys: readonly string[],
  edit: EditRecords,
): Promise<boolean> =>
  withTimeout(clock, databaseTimeoutMs, update(keys, edit)).then(
    () => true,
    () => false,
  )

/** Opens the widget's records in IndexedDB. Browsers put the `readwrite` transactions of all tabs in one order. */
export function openDatabase(name: string, abortSignal: AbortSignal): UpdateRecords {
  let store = createStore(name, 'records')
  let opened: Promise<void> | undefined
  abortSignal.addEventListener('abort', () => {
    if (opened) store('readonly', ({ transaction }) => transaction.db.close()).catch(nothing)
  })
  /** Closes the connection when the page deletes the database, because the deletion waits for every open connection. */
  function release({ target }: Event) {
    ;(target as IDBDatabase).close()
    opened = undefined
    store = createStore(name, 'records')
  }
  // Async, because the getter of `indexedDB` throws if storage is blocked, and callers expect a rejected promise.
  return async (keys, edit) => {
    // A connection opened now would never be closed.
    if (abortSignal.aborted) return
    // Open the connection with a callback of its own: the browser retains it, so it must not capture visitor data.
    opened ??= store('readonly', nothing).catch(nothing)
    await store('readwrite', async records => {
      records.transaction.db.onversionchange = release
      const allKeys = promisifyRequest(records.getAllKeys()) as Promise<string[]>
      const found = await Promise.all(keys.map(async key => [key, await promisifyRequest(records.get(key))] as const))
      for (const [key, record] of Object.entries(edit(Object.fromEntries(found), await allKeys))) {
        if (record === undefined) records.delete(key)
        else records.put(record, key)
      }
      await promisifyRequest(records.transaction)
    })
  }
}
