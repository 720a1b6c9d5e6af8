import { like } from '../api/guards.ts'
import type { Clock } from '../app/environment.ts'
import { type UpdateRecords, updateInTime } from './database.ts'
import { isBefore } from './epoch.ts'

/** What one tab may do about the anonymous session of an epoch. */
export type Claim =
  /** Create it. */
  | { readonly status: 'granted' }
  /** Wait: another tab is creating it. */
  | { readonly status: 'pending' }
  /** Use it: it has been created. */
  | { readonly status: 'created'; readonly token: string }
  /** Nothing: another epoch has begun. */
  | { readonly status: 'superseded' }

/**
 * Decides which tab creates the anonymous session of an epoch, and which token counts. Every step is one `readwrite`
 * transaction: browsers put those of all tabs in one order, which they don't do for localStorage. Where IndexedDB is not
 * available, or doesn't answer, each tab is granted its own claim.
 */
export interface AnonymousSessionStore {
  /** A claim lapses after 20 s, for its tab may have gone. Claiming again renews it. */
  claim(epoch: string): Promise<Claim>
  /**
   * Stores the token of a session that has been created. The first one counts: returns it, which may be another tab's that
   * took over a lapsed claim; `null` where another epoch has begun.
   */
  complete(epoch: string, token: string): Promise<string | null>
  /** Gives the claim up, so that another tab need not wait for it to lapse. */
  release(epoch: string): Promise<void>
  /** The token of that epoch, `null` where it has none; `undefined` where it isn't known. */
  find(epoch: string): Promise<string | null | undefined>
  /**
   * Erases what earlier epochs have left, and keeps their late writers from storing anything. Returns the token that was
   * erased; `false` where it couldn't be done.
   */
  erase(epoch: string): Promise<string | null | false>
}

interface AnonymousSessionRecord {
  epoch: string
  /** `''` until the session has been created. */
  token: string
  /** Of the tab that is creating it, and when its claim lapses. */
  claimedBy: string
  claimedUntil: number
}

const key = 'anonymousSession'
/** Longer than a request takes; each further attempt renews the claim. */
const claimMs = 20_000

const isRecord = like<AnonymousSessionRecord>({ epoch: '', token: '', claimedBy: '', claimedUntil: 0 })
const blank = (epoch: string): AnonymousSessionRecord => ({ epoch, token: '', claimedBy: '', claimedUntil: 0 })

/** `tabId` differs for each tab. */
export function createAnonymousSessionStore(update: UpdateRecords, clock: Clock, tabId: string): AnonymousSessionStore {
  /** Changes the record of `epoch` unless another epoch has begun; resolves to whether storage has answered. */
  const change = (epoch: string, next: (record: AnonymousSessionRecord) => Partial<AnonymousSessionRecord>) =>
    updateInTime(update, clock, [key], ({ [key]: stored }) => {
      const record = isRecord(stored) ? stored : blank(epoch)
      if (isBefore(epoch, record.epoch)) return {}
      const current = record.epoch === epoch ? record : blank(epoch)
      return { [key]: { ...current, ...next(current) } }
    })

  return {
    async claim(epoch) {
      let claim: Claim = { status: 'superseded' }
      const isAnswered = await change(epoch, ({ token, claimedBy, claimedUntil }) => {
        const now = clock.now()
        if (token) claim = { status: 'created', token }
        // A clock that has been set back must not make a claim last for ever.
        else if (claimedBy !== tabId && claimedUntil > now && claimedUntil <= now + claimMs)
          claim = { status: 'pending' }
        else {
          claim = { status: 'granted' }
          return { claimedBy: tabId, claimedUntil: now + claimMs }
        }
        return {}
      })
      return isAnswered ? claim : { status: 'granted' }
    },
    async complete(epoch, created) {
      let counting: string | null = null
      const isAnswered = await change(epoch, ({ token }) => {
        counting = token || created
        return { token: counting, claimedBy: '', claimedUntil: 0 }
      })
      return isAnswered ? counting : created
    },
    async release(epoch) {
      await change(epoch, ({ claimedBy }) => (claimedBy === tabId ? { claimedBy: '', claimedUntil: 0 } : {}))
    },
    async find(epoch) {
      let found: string | null | undefined
      await updateInTime(update, clock, [key], ({ [key]: record }) => {
        if (isRecord(record) && record.epoch === epoch) found = record.token || null
        return {}
      })
      return found
    },
    async erase(epoch) {
      let erased: string | null = null
      const isAnswered = await updateInTime(update, clock, [key], ({ [key]: record }) => {
        // Where there never was one there is nothing to protect, and nothing need be stored.
        if (!isRecord(record) || record.epoch === epoch || isBefore(epoch, record.epoch)) return {}
        erased = record.token || null
        return { [key]: blank(epoch) }
      })
      return isAnswered && erased
    },
  }
}
