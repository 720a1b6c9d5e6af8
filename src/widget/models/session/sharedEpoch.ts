import { delay } from '../../async/delay.ts'
import { storageDelayMs } from '../../storage/anonymousSession.ts'
import type { Stored } from '../../storage/guards.ts'
import type { SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'

/** How often a tab looks what another has done: the `storage` event usually comes before that. */
export const pollMs = 250

/**
 * Agrees with the other tabs on the first epoch where localStorage holds none: IndexedDB decides, because it orders what
 * tabs do. Resolves to this tab's when that is the one, or when the scope is over, because another tab's is.
 */
export async function agreeOnFirstEpoch(
  { clock, identity, anonymousSessions }: SessionDeps,
  { abortSignal }: SessionScope,
  reconcile: () => void,
): Promise<string> {
  const epoch = identity.newEpoch()
  while (!(await anonymousSessions.tryBeginEpoch(epoch)) && !abortSignal.aborted) {
    await delay(clock, pollMs)
    reconcile()
  }
  reconcile()
  return epoch
}

/** What happens while an epoch is being opened. */
interface OpenEpochOptions {
  /** The epoch has begun where localStorage held none. */
  isFirst?: boolean
  /** Compares the state with localStorage, by which the scope may end. */
  reconcile(): void
  /**
   * IndexedDB has `other`, and localStorage hasn't shown that in time: a late write or a crash of the browser has put this
   * epoch back. Begins an epoch that is later than both.
   */
  onSuperseded(other: string): void
}

/**
 * Opens what is stored of `owner` in the scope's epoch. Where IndexedDB has another epoch that has begun meanwhile, the
 * scope is over, as localStorage shows at once or in a moment: resolves to `undefined` then.
 */
export async function openEpoch(
  { clock, identity, cache }: Pick<SessionDeps, 'clock' | 'identity' | 'cache'>,
  { epoch, abortSignal }: SessionScope,
  owner: string,
  { isFirst = false, reconcile, onSuperseded }: OpenEpochOptions,
): Promise<Stored | undefined> {
  const startedAt = clock.now()
  let other = ''
  while (!abortSignal.aborted) {
    const stored = await cache.open(epoch, owner, isFirst)
    // The next time the database may not answer.
    if (stored.epoch && stored.epoch !== epoch) other = stored.epoch
    if (abortSignal.aborted) break
    // This tab may have been frozen, and have missed what another has begun.
    if (other || identity.read().epoch !== epoch) reconcile()
    if (abortSignal.aborted) break
    if (!other) return stored
    if (clock.now() - startedAt < storageDelayMs) await delay(clock, pollMs)
    else onSuperseded(other)
  }
  return undefined
}

/** An anonymous epoch that has been opened. */
interface OpenedAnonymousEpoch {
  /** What is stored in it; `undefined` where the scope is over. */
  stored: Stored | undefined
  /** The token of an anonymous session of an earlier epoch, which has been erased. */
  erasedToken: string | null
}

/** Opens the scope's epoch for an anonymous visitor, and erases what other epochs have left. */
export async function openAnonymousEpoch(
  deps: Pick<SessionDeps, 'clock' | 'identity' | 'cache' | 'anonymousSessions'>,
  scope: SessionScope,
  options: Omit<OpenEpochOptions, 'isFirst'>,
): Promise<OpenedAnonymousEpoch> {
  const { identity, anonymousSessions } = deps
  const { epoch, abortSignal } = scope
  const isFirst = identity.read().reason === 'storage_empty'
  const [stored, erased] = await Promise.all([
    openEpoch(deps, scope, '', { ...options, isFirst }),
    anonymousSessions.erase(epoch, isFirst),
  ])
  const erasedToken = erased || null
  if (!stored || abortSignal.aborted) return { stored: undefined, erasedToken }
  // Where something could not be erased, the reminder stays for the next page load.
  if (stored.epoch === epoch && erased !== false) identity.confirmErased(epoch)
  return { stored, erasedToken }
}
