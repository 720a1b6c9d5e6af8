import type { StopCondition } from '../api/apiClient.ts'
import { delay } from '../async/timing.ts'
import { type CompleteResult, storageDelayMs } from '../store/anonymousSession.ts'
import { revokeToken } from './revokeTokens.ts'
import type { SessionActions } from './sessionActions.ts'
import type { SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'
import { pollMs } from './sharedEpoch.ts'

/**
 * Sets the token of the scope's anonymous session and returns it. This tab creates the session unless another tab has claimed
 * that. Returns `null` if the session can't be created now, or if the scope has ended.
 */
export async function acquireAnonymousToken(
  { api, clock, anonymousSessions }: SessionDeps,
  scope: SessionScope,
  actions: Pick<SessionActions, 'followStorage' | 'endSession' | 'setToken'>,
  shouldStopRetrying: StopCondition,
): Promise<string | null> {
  const { epoch } = scope

  /** Whether the scope still needs a token. */
  function isWanted(): boolean {
    // Another tab may have logged in or out. Text of one person must not be sent with the token of another.
    actions.followStorage()
    return !scope.abortSignal.aborted && !scope.token
  }

  /** Resolves to `null` if the session can't be created now. */
  async function create(): Promise<CompleteResult | null> {
    const created = await api.createVisitorSession(scope, (failure, tries) => {
      const isLast = shouldStopRetrying(failure, tries)
      if (!isLast) void anonymousSessions.acquire(epoch)
      return isLast
    })
    if (!created) {
      void anonymousSessions.release(epoch)
      return null
    }
    const result = await anonymousSessions.complete(epoch, created.token)
    if (isWanted() && result.status === 'created' && result.token === created.token) return result
    // Another tab was faster, or somebody has logged in or out. Nobody will use this session, so revoke it.
    if (scope.token !== created.token) void revokeToken(api, created.token)
    return result
  }

  async function acquire(): Promise<string | null> {
    while (isWanted()) {
      const acquired = await anonymousSessions.acquire(epoch)
      const result = acquired.status === 'granted' ? await create() : acquired
      if (!result) return null
      if (result.status === 'created') return result.token
      if (result.status === 'superseded') await awaitEpoch(result.epoch)
      // Another tab is creating the session.
      else await delay(clock, pollMs)
    }
    return null
  }

  /** Waits until localStorage shows the epoch, which ends the scope. If it doesn't in time, this begins a later one. */
  async function awaitEpoch(other: string): Promise<void> {
    const knownSince = clock.now()
    while (isWanted() && clock.now() - knownSince < storageDelayMs) await delay(clock, pollMs)
    if (isWanted()) void actions.endSession('storage_reset', { keepUnsent: true, laterThan: other })
  }

  const token = await acquire()
  if (token && isWanted()) actions.setToken(scope, token)
  return scope.token
}
