import { createStore, promisifyRequest } from 'idb-keyval'
import type { Clock } from '../app/environment.ts'

/** Replaces the record of a key by what `change` makes of it, in one transaction; by `undefined` it isn't replaced. */
export type UpdateRecord = (key: string, change: (record: unknown) => unknown) => Promise<void>

/** A database that never answers (this happens after a browser crash) must not keep a session from starting. */
const answerMs = 2000

const nothing = () => {}

/** Resolves to whether the record has been updated; to `false` after 2 s. It may still be updated after that. */
export const updateInTime = (
  update: UpdateRecord,
  clock: Clock,
  key: string,
  change: (record: unknown) => unknown,
): Promise<boolean> =>
  new Promise(resolve => {
    const cancelTimer = clock.setTimeout(() => resolve(false), answerMs)
    const settle = (isUpdated: boolean) => {
      cancelTimer()
      resolve(isUpdated)
    }
    update(key, change).then(
      () => settle(true),
      () => settle(false),
    )
  })

/** The widget's records in IndexedDB. Browsers put `readwrite` transactions of all tabs in one order. */
export function openDatabase(name: string, abortSignal: AbortSignal): UpdateRecord {
  let store = createStore(name, 'records')
  let opened: Promise<void> | undefined
  abortSignal.addEventListener('abort', () => {
    if (opened) store('readonly', ({ transaction }) => transaction.db.close()).catch(nothing)
  })
  /** The page wants to delete the database, which waits for all that have it open. */
  function release({ target }: Event) {
    ;(target as IDBDatabase).close()
    opened = undefined
    store = createStore(name, 'records')
  }
  // Async, because the getter of `indexedDB` itself throws where storage is blocked.
  return async (key, change) => {
    // A connection opened now would never be closed.
    if (abortSignal.aborted) return
    // The first transaction touches no record: a connection keeps alive what it was opened for.
    opened ??= store('readonly', nothing).catch(nothing)
    await store('readwrite', async records => {
      records.transaction.db.onversionchange = release
      const next = change(await promisifyRequest(records.get(key)))
      if (next !== undefined) records.put(next, key)
      await promisifyRequest(records.transaction)
    })
  }
}
