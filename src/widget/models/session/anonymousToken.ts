import type { StopCondition } from '../../api/apiClient.ts'
import { delay } from '../../async/delay.ts'
import { storageDelayMs } from '../../storage/anonymousSession.ts'
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
  actions: Pick<SessionActions, 'followStorage' | 'endSession' | 'setAnonymousToken'>,
  shouldStopRetrying: StopCondition,
): Promise<string | null> {
  const { epoch } = scope

  /** Whether the scope still needs a token. */
  function isWanted(): boolean {
    // Another tab may have logged in or out. Text of one person must not be sent with the token of another.
    actions.followStorage()
    return !scope.abortSignal.aborted && !scope.token
  }

  async function create(): Promise<string | null> {
    const created = await api.createVisitorSession(scope, (failure, tries) => {
      const isLast = shouldStopRetrying(failure, tries)
      if (!isLast) void anonymousSessions.acquire(epoch)
      return isLast
    })
    if (!created) {
      void anonymousSessions.release(epoch)
      return null
    }
    const token = await anonymousSessions.complete(epoch, created.token)
    if (isWanted() && token === created.token) return token
    // Another tab was faster, or somebody has logged in or out. Nobody will use this session, so revoke it.
    if (scope.token !== created.token) void revokeToken(api, created.token)
    return token
  }

  async function acquire(): Promise<string | null> {
    let supersededAt = 0
    while (isWanted()) {
      const result = await anonymousSessions.acquire(epoch)
      if (result.status === 'created') return result.token
      if (result.status === 'granted') return create()
      // Otherwise another tab is creating the session or has begun another epoch, which localStorage will show soon.
      if (result.status === 'superseded') {
        supersededAt ||= clock.now()
        if (clock.now() - supersededAt >= storageDelayMs)
          void actions.endSession('storage_reset', { keepUnsent: true, laterThan: result.epoch })
      }
      await delay(clock, pollMs)
    }
    return null
  }

  const token = await acquire()
  if (token && isWanted()) actions.setAnonymousToken(scope, token)
  return scope.token
}
