import type { ActiveScope } from './activeScope.ts'
import type { SessionDeps } from './sessionModel.ts'
import type { ExpiredSession } from './tokenRefresh.ts'

/**
 * Fetches the code that exchanges an expired token, and runs it. Requests that the platform has refused meanwhile wait for
 * `scope.refreshed`.
 */
export function exchangeExpiredToken(deps: SessionDeps, scope: ActiveScope, session: ExpiredSession): void {
  function onChunkFailed() {
    if (scope.abortSignal.aborted) return
    const { epoch, token } = deps.identity.read()
    // Another tab may have exchanged it already.
    if (epoch === scope.epoch && token && token !== scope.token) void session.restoreSession(epoch, token, 'restored')
    else session.expire()
  }
  scope.refreshed ??= deps
    .tokenRefresh()
    .then(({ refreshToken }) => refreshToken(deps, scope, session), onChunkFailed)
    .then(() => {
      scope.refreshed = undefined
    })
}
