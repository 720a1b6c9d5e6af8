import { storageDelayMs } from '../../storage/anonymousSession.ts'
import { isBefore } from '../../storage/epoch.ts'
import type { Stored } from '../../storage/guards.ts'
import type { SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'

/** How often a tab looks what another has done: the `storage` event usually comes before that. */
export const pollMs = 250

/**
 * Agrees with the other tabs on the first epoch where localStorage holds none: IndexedDB decides, because it orders what
 * tabs do. Resolves when this tab's is the one, or the scope is over, because another tab's is.
 */
export async function agreeOnFirstEpoch(
  { clock, anonymousSessions }: SessionDeps,
  { epoch, abortSignal }: SessionScope,
  reconcile: () => void,
): Promise<void> {
  while (!(await anonymousSessions.begin(epoch)) && !abortSignal.aborted) {
    await new Promise<void>(resolve => clock.setTimeout(resolve, pollMs))
    reconcile()
  }
  reconcile()
}

/**
 * Opens what is stored of `owner` in the scope's epoch. Where IndexedDB has a later epoch, the scope is over, and
 * localStorage shows so in a moment: resolves to `undefined` then. If it doesn't, a late write or a crash of the browser
 * has put this epoch back, and `beginLater` begins one that is later than both.
 */
export async function openEpoch(
  { clock, cache }: SessionDeps,
  { epoch, abortSignal }: SessionScope,
  owner: string,
  { reconcile, beginLater }: { reconcile(): void; beginLater(known: string): void },
): Promise<Stored | undefined> {
  const startedAt = clock.now()
  let later = ''
  while (!abortSignal.aborted) {
    const stored = await cache.open(epoch, owner)
    // The next time the database may not answer.
    if (isBefore(epoch, stored.epoch)) later = stored.epoch
    if (abortSignal.aborted) break
    if (!later) return stored
    reconcile()
    if (abortSignal.aborted) break
    if (clock.now() - startedAt < storageDelayMs) await new Promise<void>(resolve => clock.setTimeout(resolve, pollMs))
    else beginLater(later)
  }
  return undefined
}
