import type { SessionActions } from './sessionActions.ts'
import type { SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'

/**
 * Fetches the code that exchanges an expired token, and runs it. Requests that were refused because of the token wait for
 * `scope.tokenExchange`. `contactId` is the token's owner, or `undefined` while the session is being restored.
 */
export function exchangeExpiredToken(
  deps: SessionDeps,
  scope: SessionScope,
  contactId: string | undefined,
  actions: Pick<SessionActions, 'restoreSession' | 'endSession'>,
): void {
  function onChunkFailed() {
    if (scope.abortSignal.aborted) return
    const { epoch, token } = deps.identity.read()
    // Another tab may have exchanged the token already.
    if (epoch === scope.epoch && token && token !== scope.token) void actions.restoreSession(epoch, token, 'restored')
    else void actions.endSession('expired')
  }
  scope.tokenExchange ??= deps
    .tokenRefresh()
    .then(({ refreshToken }) => refreshToken(deps, scope, contactId, actions), onChunkFailed)
    .then(() => {
      scope.tokenExchange = undefined
    })
}
