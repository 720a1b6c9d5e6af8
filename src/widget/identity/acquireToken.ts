import type { StopCondition } from '../api/apiClient.ts'
import { withLockInTime } from '../async/withLockInTime.ts'
import { revokeToken } from './revokeTokens.ts'
import type { SessionActions, SessionDeps } from './sessionDeps.ts'
import type { SessionScope } from './sessionScope.ts'

/**
 * Returns the scope's token. If it has none, creates the anonymous session first: the lock lets one tab do that, and IndexedDB
 * decides whose counts if two do. Returns `null` if the session can't be created now.
 */
export async function acquireToken(
  deps: SessionDeps,
  scope: SessionScope,
  actions: Pick<SessionActions, 'followStorage' | 'setToken'>,
  shouldStopRetrying: StopCondition,
): Promise<string | null> {
  const { api, records, lockName } = deps

  /** Whether the scope still needs a token. */
  function isWanted(): boolean {
    // Another tab may have logged in or out. Text of one person must not be sent with the token of another.
    actions.followStorage()
    return !scope.abortSignal.aborted && !scope.token
  }

  /** Resolves to the token that all tabs use, if there is one now. */
  async function create(): Promise<string | undefined> {
    const existing = await records.claimToken(scope, '')
    if (existing !== '' || !isWanted()) return existing
    const created = await api.createVisitorSession(scope, shouldStopRetrying)
    if (!created) return undefined
    const counting = await records.claimToken(scope, created.token)
    // Another tab was faster, or somebody has logged in or out.
    if (counting !== created.token) void revokeToken(api, created.token)
    return counting
  }

  if (!isWanted()) return scope.token
  await withLockInTime(deps, `${lockName}:anonymous`, scope.abortSignal, async () => {
    const token = isWanted() && (await create())
    if (token && isWanted()) actions.setToken(scope, token)
  })
  return scope.token
}
