import { delay } from '../async/timing.ts'
import { storageDelayMs } from '../store/anonymousSession.ts'
import type { CachedSession } from '../store/guards.ts'
import type { SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'

/** How often a tab checks for changes by other tabs, in case the `storage` event is late. */
export const pollMs = 250

/**
 * Agrees with the other tabs on the first epoch when localStorage holds none. IndexedDB decides, because it orders the
 * transactions of all tabs. Resolves to the id of this tab's epoch. If another tab's epoch is the first, the scope has ended.
 */
export async function agreeOnFirstEpoch(
  { clock, identity, anonymousSessions }: SessionDeps,
  { abortSignal }: SessionScope,
  followStorage: () => void,
): Promise<string> {
  const epoch = identity.newEpoch()
  while (!(await anonymousSessions.tryBeginEpoch(epoch)) && !abortSignal.aborted) {
    await delay(clock, pollMs)
    followStorage()
  }
  followStorage()
  return epoch
}

interface OpenEpochOptions {
  /** Whether localStorage held no epoch before this one. */
  isFirstEpoch?: boolean
  /** Compares this tab's state with localStorage. This may end the scope. */
  followStorage(): void
  /**
   * Called if IndexedDB has the epoch `other` and localStorage hasn't shown it in time, because a late write or a crash of
   * the browser has restored this one. Has to begin an epoch that is later than both.
   */
  onSuperseded(other: string): void
}

/**
 * Opens the cached data of `owner` in the scope's epoch. If IndexedDB has another epoch that has begun since, it waits until
 * localStorage shows that one, which ends the scope, and resolves to `undefined`.
 */
export async function openEpoch(
  { clock, identity, cache }: Pick<SessionDeps, 'clock' | 'identity' | 'cache'>,
  { epoch, abortSignal }: SessionScope,
  owner: string,
  { isFirstEpoch = false, followStorage, onSuperseded }: OpenEpochOptions,
): Promise<CachedSession | undefined> {
  const startedAt = clock.now()
  let other = ''
  while (!abortSignal.aborted) {
    const cached = await cache.open(epoch, owner, isFirstEpoch)
    // Remember the other epoch, because the database may not answer the next time.
    if (cached.epoch && cached.epoch !== epoch) other = cached.epoch
    if (abortSignal.aborted) break
    // This tab may have been frozen and have missed a change by another tab.
    if (other || identity.read().epoch !== epoch) followStorage()
    if (abortSignal.aborted) break
    if (!other) return cached
    if (clock.now() - startedAt < storageDelayMs) await delay(clock, pollMs)
    else onSuperseded(other)
  }
  return undefined
}

interface OpenedAnonymousEpoch {
  /** The cached data of the epoch; `undefined` if the scope has ended. */
  cached: CachedSession | undefined
  /** The token of an earlier epoch's anonymous session that was erased from storage, or `null`. */
  erasedToken: string | null
}

/** Opens the scope's epoch for an anonymous visitor, and erases the data of other epochs. */
export async function openAnonymousEpoch(
  deps: Pick<SessionDeps, 'clock' | 'identity' | 'cache' | 'anonymousSessions'>,
  scope: SessionScope,
  options: Omit<OpenEpochOptions, 'isFirstEpoch'>,
): Promise<OpenedAnonymousEpoch> {
  const { identity, anonymousSessions } = deps
  const { epoch, abortSignal } = scope
  const isFirstEpoch = identity.read().reason === 'storage_reset'
  const [cached, { isErased, erasedToken }] = await Promise.all([
    openEpoch(deps, scope, '', { ...options, isFirstEpoch }),
    anonymousSessions.erase(epoch, isFirstEpoch),
  ])
  if (!cached || abortSignal.aborted) return { cached: undefined, erasedToken }
  // If erasing failed, keep the reminder, so that the next page load tries again.
  if (cached.epoch === epoch && isErased) identity.confirmErased(epoch)
  return { cached, erasedToken }
}
