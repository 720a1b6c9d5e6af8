import { createStore, promisifyRequest } from 'idb-keyval'
import type { Clock } from '../app/clock.ts'
import { readStored, type Stored } from './guards.ts'

/** Replaces the one record by what `change` makes of it, in one transaction. */
export type Update = (change: (record: unknown) => unknown) => Promise<void>

/**
 * Transcript, outbox and draft of one person. Every write belongs to an epoch and reads the stored one first in its own
 * transaction: a tab that hasn't heard of a logout yet writes nothing. Where storage fails, nothing is kept.
 */
export interface Cache {
  /** Keeps what a contact has stored for the login that has begun, out of reach of writers of the epoch before. */
  transferEpoch(epoch: number, previous: number): Promise<void>
  /**
   * What is stored for `owner`; what is anybody else's or of another epoch is erased. Where that can't be done, or a later
   * epoch has begun, it is nothing, of epoch -1.
   */
  open(epoch: number, owner: string): Promise<Stored>
  put(epoch: number, change: (stored: Stored) => Partial<Stored>): Promise<void>
}

// A browser that never answers (it happens after a crash) must not keep a session from starting.
const patienceMs = 2000

const nothing = () => {}

const blank = (epoch: number, owner = ''): Stored => ({ epoch, owner, transcript: [], outbox: [], draft: '' })

export function createCache(change: Update, clock: Clock): Cache {
  /** Changes what is stored unless a later epoch has begun. */
  const attempt = (epoch: number, next: (stored: Stored) => Stored) =>
    new Promise<void>(resolve => {
      const done = () => {
        cancelTimer()
        resolve()
      }
      const cancelTimer = clock.after(patienceMs, done)
      change(record => {
        const stored = readStored(record) ?? blank(-1)
        return stored.epoch > epoch ? stored : next(stored)
      }).then(done, done)
    })

  return {
    transferEpoch: (epoch, previous) =>
      // What an anonymous visitor has said is nobody's after a login.
      attempt(epoch, stored => (stored.epoch === previous && stored.owner ? { ...stored, epoch } : blank(epoch))),
    async open(epoch, owner) {
      let found = blank(-1)
      await attempt(epoch, stored => {
        found = stored.epoch === epoch && stored.owner === owner ? stored : blank(epoch, owner)
        return found
      })
      return found
    },
    put: (epoch, next) => attempt(epoch, stored => (stored.epoch === epoch ? { ...stored, ...next(stored) } : stored)),
  }
}

/** The record in IndexedDB, whose connection is there from the first use until `over`. */
export function createIndexedDbUpdate(name: string, abortSignal: AbortSignal): Update {
  let store = createStore(name, 'records')
  let opened: Promise<void> | undefined
  abortSignal.addEventListener('abort', () => {
    if (opened) store('readonly', ({ transaction }) => transaction.db.close()).catch(nothing)
  })
  /** The page wants to delete the database, and waits for all that have it open. */
  function release({ target }: Event) {
    ;(target as IDBDatabase).close()
    opened = undefined
    store = createStore(name, 'records')
  }
  // Async, for the getter of `indexedDB` itself throws where storage is blocked.
  return async change => {
    // A connection opened now would never be closed.
    if (abortSignal.aborted) return
    // The connection goes on to hold what it was opened for: nothing of a visitor.
    opened ??= store('readonly', nothing).catch(nothing)
    await store('readwrite', async records => {
      records.transaction.db.onversionchange = release
      records.put(change(await promisifyRequest(records.get('stored'))), 'stored')
      await promisifyRequest(records.transaction)
    })
  }
}
