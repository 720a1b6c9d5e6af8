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

/**
 * Opens what is stored of `owner` in the scope's epoch. Where IndexedDB has another epoch that has begun meanwhile, the
 * scope is over, and localStorage shows so at once or in a moment: resolves to `undefined` then. If it doesn't, a late
 * write or a crash of the browser has put this epoch back, and `beginLater` begins one that is later than both.
 */
export async function openEpoch(
  { clock, identity, cache }: SessionDeps,
  { epoch, abortSignal }: SessionScope,
  owner: string,
  { reconcile, beginLater, isFirst }: { reconcile(): void; beginLater(known: string): void; isFirst?: boolean },
): Promise<Stored | undefined> {
  const startedAt = clock.now()
  let next = ''
  while (!abortSignal.aborted) {
    const stored = await cache.open(epoch, owner, isFirst)
    // The next time the database may not answer.
    if (stored.epoch && stored.epoch !== epoch) next = stored.epoch
    if (abortSignal.aborted) break
    // This tab may have been frozen, and have missed what another has begun.
    if (next || identity.read().epoch !== epoch) reconcile()
    if (abortSignal.aborted) break
    if (!next) return stored
    if (clock.now() - startedAt < storageDelayMs) await delay(clock, pollMs)
    else beginLater(next)
  }
  return undefined
}
