import { withRetries } from '../async/withRetries.ts'
import type { SessionActions } from './sessionActions.ts'
import type { SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'

/**
 * Fetches the code that exchanges an expired token, again after a failure, and runs it. Requests that were refused because of
 * the token wait for `scope.tokenExchange`. `contactId` is the token's owner, or `undefined` while the session is being restored.
 */
export function exchangeExpiredToken(
  deps: SessionDeps,
  scope: SessionScope,
  contactId: string | undefined,
  actions: Pick<SessionActions, 'restoreSession' | 'endSession' | 'setToken'>,
): void {
  const { backoff } = deps
  const { abortSignal } = scope
  scope.tokenExchange ??= withRetries(() => deps.tokenRefresh(), { backoff, abortSignal })
    .then(chunk => chunk?.refreshToken(deps, scope, contactId, actions))
    .then(() => {
      scope.tokenExchange = undefined
    })
}
