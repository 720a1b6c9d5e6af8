import { createStore, promisifyRequest } from 'idb-keyval'
import type { Clock } from '../clock.ts'
import { decodeStored, type Stored } from './decode.ts'

/** What a transaction does with what it found; a value of `undefined` deletes. */
export interface Change {
  clear?: boolean
  set?: Record<string, unknown>
}

/** Reads the record `identity`, or with `all` every record, and applies the decision in the same transaction. */
export type Transact = (
  all: boolean,
  decide: (found: ReadonlyMap<unknown, unknown>) => Change | undefined,
) => Promise<void>

/**
 * Transcript, outbox and draft of one person. Every write belongs to an epoch and reads the stored one first in its own
 * transaction: a tab that hasn't heard of a logout yet writes nothing. Where storage fails, nothing is kept.
 */
export interface Cache {
  /** Keeps what is stored for the login that has begun, out of reach of writers of the epoch before. */
  claim(epoch: number, previous: number): Promise<void>
  /** What is stored for `owner`; what is anybody else's or of another epoch is erased. */
  open(epoch: number, owner: string): Promise<Stored>
  /** `undefined` deletes. */
  put(epoch: number, key: 'transcript' | 'draft' | `outbox:${string}`, value: unknown): Promise<void>
}

/** Whose data it is; stands in the record `identity`, which every transaction reads. */
interface Identity {
  epoch: number
  /** The contact's id, or `''` for an anonymous visitor. */
  owner: string
}

// A browser that never answers (it happens after a crash) must not keep a session from starting.
const patienceMs = 2000

export function createCache(transact: Transact, clock: Clock): Cache {
  /** Decides unless a later epoch has begun. */
  const attempt = (
    epoch: number,
    all: boolean,
    decide: (at: Identity, found: ReadonlyMap<unknown, unknown>) => Change | undefined,
  ) =>
    new Promise<void>(resolve => {
      const calledOff = clock.after(patienceMs, resolve)
      void transact(all, found => {
        const at = (found.get('identity') ?? { epoch: -1, owner: '' }) as Identity
        return at.epoch > epoch ? undefined : decide(at, found)
      })
        .catch(() => {})
        .then(calledOff)
        .then(resolve)
    })

  return {
    claim: (epoch, previous) =>
      attempt(epoch, false, at => ({
        // What an anonymous visitor has said is nobody's after a login.
        clear: at.epoch !== previous || !at.owner,
        set: { identity: { ...at, epoch } },
      })),
    async open(epoch, owner) {
      let entries: ReadonlyMap<unknown, unknown> = new Map()
      await attempt(epoch, true, (at, found) => {
        if (at.epoch !== epoch || at.owner !== owner) return { clear: true, set: { identity: { epoch, owner } } }
        entries = found
        return undefined
      })
      return decodeStored(entries)
    },
    put: (epoch, key, value) =>
      attempt(epoch, false, at => (at.epoch === epoch ? { set: { [key]: value } } : undefined)),
  }
}

/** Transactions on IndexedDB, or in memory where the browser refuses it. */
export function createIndexedDbTransact(name: string): Transact {
  const inMemory = createMemoryTransact()
  const store = createStore(name, 'records')
  const inDatabase: Transact = (all, decide) =>
    store('readwrite', async records => {
      const found = all
        ? await Promise.all([promisifyRequest(records.getAllKeys()), promisifyRequest(records.getAll())])
        : [['identity'], [await promisifyRequest(records.get('identity'))]]
      const { clear, set = {} } = decide(new Map(found[0]?.map((key, at) => [key, found[1]?.[at]]))) ?? {}
      if (clear) records.clear()
      for (const [key, value] of Object.entries(set)) {
        if (value === undefined) records.delete(key)
        else records.put(value, key)
      }
      await promisifyRequest(records.transaction)
    })
  return async (all, decide) => {
    try {
      await inDatabase(all, decide)
    } catch {
      await inMemory(all, decide)
    }
  }
}

/** The same in memory. */
export function createMemoryTransact(records = new Map<unknown, unknown>()): Transact {
  return async (_, decide) => {
    const { clear, set = {} } = decide(new Map(records)) ?? {}
    if (clear) records.clear()
    for (const [key, value] of Object.entries(set)) {
      if (value === undefined) records.delete(key)
      else records.set(key, value)
    }
  }
}
