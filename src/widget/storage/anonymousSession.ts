import { createGuard } from '../api/guards.ts'
import type { Clock } from '../app/environment.ts'
import { type UpdateRecords, updateInTime } from './database.ts'
import { isBefore, isOvertaken } from './epoch.ts'

/** What one tab may do about the anonymous session of an epoch. */
export type AcquireResult =
  /** Create it. */
  | { readonly status: 'granted' }
  /** Wait: another tab is creating it. */
  | { readonly status: 'pending' }
  /** Use it: it has been created. */
  | { readonly status: 'created'; readonly token: string }
  /** Nothing: another epoch has begun. */
  | { readonly status: 'superseded'; readonly epoch: string }

/**
 * Decides which tab creates the anonymous session of an epoch, and which token counts. Every step is one `readwrite`
 * transaction: browsers put those of all tabs in one order, which they don't do for localStorage. Where IndexedDB is not
 * available, or doesn't answer, each tab is granted its own claim.
 */
export interface AnonymousSessionStore {
  /**
   * Begins an epoch where localStorage holds none, unless another tab has begun one in the last 5 s, which localStorage is
   * about to show. What is older is left over from before localStorage was emptied, and is erased, unless it is of a later
   * epoch.
   */
  tryBeginEpoch(epoch: string): Promise<boolean>
  /** A claim lapses after 20 s, for its tab may have gone. Claiming again renews it. */
  acquire(epoch: string): Promise<AcquireResult>
  /**
   * Stores the token of a session that has been created. The first one counts: returns it, which may be another tab's that
   * took over a lapsed claim; `null` where another epoch has begun.
   */
  complete(epoch: string, token: string): Promise<string | null>
  /** Gives the claim up, so that another tab need not wait for it to lapse. */
  release(epoch: string): Promise<void>
  /**
   * Erases what earlier epochs have left, and keeps their late writers from storing anything. Returns the token that was
   * erased; `false` where it couldn't be done. With `isFirst`, for an epoch that has begun where localStorage held none, it
   * leaves alone what `findRecentFirstEpoch` finds.
   */
  erase(epoch: string, isFirst?: boolean): Promise<string | null | false>
}

interface AnonymousSessionRecord {
  epoch: string
  /** When it has begun where localStorage held none; 0 for others. */
  begunAt: number
  /** `''` until the session has been created. */
  token: string
  /** Of the tab that is creating it, and when its claim lapses. */
  claimedBy: string
  claimedUntil: number
}

export const anonymousSessionKey = 'anonymousSession'
const key = anonymousSessionKey
/** Longer than a request takes; each further attempt renews the claim. */
const claimMs = 20_000

/** What a tab writes to localStorage is seen by all others after this time. */
export const storageDelayMs = 5000

const blank = (epoch: string, begunAt = 0): AnonymousSessionRecord => ({
  epoch,
  begunAt,
  token: '',
  claimedBy: '',
  claimedUntil: 0,
})
const isRecord = createGuard<AnonymousSessionRecord>({ ...blank('') })

/**
 * The epoch, other than `epoch` and not before it, that IndexedDB has made the first one in the last 5 s: localStorage is
 * about to show it. `''` where there is none.
 */
export function findRecentFirstEpoch(epoch: string, record: unknown, now: number): string {
  if (!isRecord(record) || record.epoch === epoch || isBefore(record.epoch, epoch)) return ''
  // A clock that has been set back must not make it look new for ever.
  return record.begunAt <= now && now < record.begunAt + storageDelayMs ? record.epoch : ''
}

/** `tabId` differs for each tab; `isCurrent` says whether localStorage shows an epoch, `''` for none. */
export function createAnonymousSessionStore(
  update: UpdateRecords,
  clock: Clock,
  tabId: string,
  isCurrent: (epoch: string) => boolean,
): AnonymousSessionStore {
  /** Changes the record of `epoch` unless another one has begun; resolves to whether storage has answered. */
  const change = (
    epoch: string,
    next: (record: AnonymousSessionRecord) => Partial<AnonymousSessionRecord>,
    onOvertaken: (epoch: string) => void = () => {},
  ) =>
    updateInTime(update, clock, [key], ({ [key]: stored }) => {
      const record = isRecord(stored) ? stored : blank(epoch)
      if (isOvertaken(epoch, record.epoch, isCurrent)) {
        onOvertaken(record.epoch)
        return {}
      }
      const current = record.epoch === epoch ? record : blank(epoch)
      return { [key]: { ...current, ...next(current) } }
    })

  return {
    async tryBeginEpoch(epoch) {
      let hasBegun = true
      await updateInTime(update, clock, [key], ({ [key]: record }) => {
        const now = clock.now()
        hasBegun = !findRecentFirstEpoch(epoch, record, now) && isCurrent('')
        const isLater = isRecord(record) && isBefore(epoch, record.epoch)
        return hasBegun && !isLater ? { [key]: blank(epoch, now) } : {}
      })
      return hasBegun
    },
    async acquire(epoch) {
      let result: AcquireResult = { status: 'granted' }
      const claim = ({ token, claimedBy, claimedUntil }: AnonymousSessionRecord) => {
        const now = clock.now()
        // A clock that has been set back must not make a claim last for ever.
        const isClaimed = claimedBy !== tabId && claimedUntil > now && claimedUntil <= now + claimMs
        if (token) result = { status: 'created', token }
        else if (isClaimed) result = { status: 'pending' }
        else return { claimedBy: tabId, claimedUntil: now + claimMs }
        return {}
      }
      const isAnswered = await change(epoch, claim, next => {
        result = { status: 'superseded', epoch: next }
      })
      return isAnswered ? result : { status: 'granted' }
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
    async erase(epoch, isFirst = false) {
      let erased: string | null | false = null
      const isAnswered = await updateInTime(update, clock, [key], ({ [key]: record }) => {
        // Where there never was one there is nothing to protect, and nothing need be stored.
        if (!isRecord(record) || record.epoch === epoch || isOvertaken(epoch, record.epoch, isCurrent)) return {}
        if (isFirst && findRecentFirstEpoch(epoch, record, clock.now())) {
          erased = false
          return {}
        }
        erased = record.token || null
        return { [key]: blank(epoch) }
      })
      return isAnswered && erased
    },
  }
}
