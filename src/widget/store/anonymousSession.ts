import { createGuard } from '../api/guards.ts'
import type { Clock } from '../environment/clock.ts'
import { isBefore, isOvertaken } from '../identity/epoch.ts'
import { type UpdateRecords, updateInTime } from './database.ts'

/** What has become of a session that a tab has created. */
export type CompleteResult =
  /** The session exists, and this tab can use its token. */
  | { readonly status: 'created'; readonly token: string }
  /** Another epoch has begun, so this one gets no session. */
  | { readonly status: 'superseded'; readonly epoch: string }

/** Tells a tab what to do about the anonymous session of an epoch. */
export type AcquireResult =
  /** This tab has to create the session. */
  | { readonly status: 'granted' }
  /** Another tab is creating the session; this one has to wait. */
  | { readonly status: 'pending' }
  | CompleteResult

/**
 * Decides which tab creates the anonymous session of an epoch, and which token all tabs use. Every step is one `readwrite`
 * transaction in IndexedDB, because browsers put these in one order for all tabs; localStorage has no such order. If
 * IndexedDB is unavailable or doesn't answer, every tab is granted its own claim.
 */
export interface AnonymousSessionStore {
  /**
   * Begins an epoch if localStorage holds none. Resolves to `false` if another tab has begun one in the last 5 s, because
   * localStorage is about to show it. An older record is left over from before localStorage was emptied. It is replaced,
   * unless its epoch is later than this one.
   */
  tryBeginEpoch(epoch: string): Promise<boolean>
  /** Claims the creation of the session. A claim lapses after 20 s, in case its tab has gone. Claiming again renews it. */
  acquire(epoch: string): Promise<AcquireResult>
  /**
   * Stores the token of a session that has been created, unless the epoch already has a token, and resolves to the epoch's
   * token. It is another tab's token if that tab took over a lapsed claim.
   */
  complete(epoch: string, token: string): Promise<CompleteResult>
  /** Gives up the claim, so that another tab doesn't have to wait until it lapses. */
  release(epoch: string): Promise<void>
  /**
   * Replaces the record of an earlier epoch by an empty one of this epoch, so that a tab that is still in an earlier one can't
   * store anything. `isFirstEpoch` means that localStorage held no epoch before this one: then a record that
   * `findRecentFirstEpoch` finds is kept.
   */
  erase(epoch: string, isFirstEpoch?: boolean): Promise<EraseResult>
}

interface EraseResult {
  /** Whether no record of an earlier epoch is left. */
  isErased: boolean
  /** The token of the session that was erased. */
  erasedToken: string | null
}

interface AnonymousSessionRecord {
  epoch: string
  /** The time when the epoch began, if localStorage held none before; otherwise 0. */
  begunAt: number
  /** `''` until the session has been created. */
  token: string
  /** The id of the tab that is creating the session. */
  claimedBy: string
  /** The time when the claim lapses. */
  claimedUntil: number
}

export const anonymousSessionKey = 'anonymousSession'
const key = anonymousSessionKey
/** Must be longer than a request takes. Each further attempt renews the claim. */
const claimMs = 20_000

/** The time after which all tabs see what one tab has written to localStorage. */
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
 * Returns the epoch that another tab made the first one in IndexedDB in the last 5 s, which localStorage is about to show.
 * Returns `''` if there is none, or if it is `epoch` itself or an earlier one.
 */
export function findRecentFirstEpoch(epoch: string, record: unknown, now: number): string {
  if (!isRecord(record) || record.epoch === epoch || isBefore(record.epoch, epoch)) return ''
  // If the clock was set back, `begunAt` is in the future, and the record would count as recent for too long.
  return record.begunAt <= now && now < record.begunAt + storageDelayMs ? record.epoch : ''
}

/** `tabId` is unique to each tab. `isCurrent` returns whether localStorage shows this epoch; `''` stands for no epoch. */
export function createAnonymousSessionStore(
  update: UpdateRecords,
  clock: Clock,
  tabId: string,
  isCurrent: (epoch: string) => boolean,
): AnonymousSessionStore {
  /** Changes the record of `epoch` unless another epoch has begun. Resolves to whether the database has answered. */
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
        // If the clock was set back, a claim would otherwise last for too long.
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
      const own: CompleteResult = { status: 'created', token: created }
      let result: CompleteResult = own
      const keep = ({ token }: AnonymousSessionRecord) => {
        const counting = token || created
        result = { status: 'created', token: counting }
        return { token: counting, claimedBy: '', claimedUntil: 0 }
      }
      const isAnswered = await change(epoch, keep, next => {
        result = { status: 'superseded', epoch: next }
      })
      return isAnswered ? result : own
    },
    async release(epoch) {
      await change(epoch, ({ claimedBy }) => (claimedBy === tabId ? { claimedBy: '', claimedUntil: 0 } : {}))
    },
    async erase(epoch, isFirstEpoch = false) {
      let isErased = true
      let erasedToken: string | null = null
      const isAnswered = await updateInTime(update, clock, [key], ({ [key]: record }) => {
        const { epoch: current, token } = isRecord(record) ? record : blank('')
        if (current === epoch || isOvertaken(epoch, current, isCurrent)) return {}
        if (isFirstEpoch && findRecentFirstEpoch(epoch, record, clock.now())) {
          isErased = false
          return {}
        }
        erasedToken = token || null
        // Even if there was no record: a tab that the database was slow to answer may still store one of an earlier epoch.
        return { [key]: blank(epoch) }
      })
      return isAnswered ? { isErased, erasedToken } : { isErased: false, erasedToken: null }
    },
  }
}
