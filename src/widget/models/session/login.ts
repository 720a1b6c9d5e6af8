import type { Session } from '../../../contract/index.ts'
import type { StopCondition } from '../../api/apiClient.ts'
import type { Clock } from '../../app/environment.ts'
import { withTimeout } from '../../async/withTimeout.ts'
import { widgetError } from '../../loader/errors.ts'
import type { AuthReason, WidgetErrorCode } from '../../loader/events.ts'
import { isContactToken } from '../../storage/storedIdentity.ts'
import { isToken } from '../../storage/token.ts'
import type { SessionActions } from './sessionActions.ts'
import type { SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'
import type { SessionStore } from './sessionStore.ts'

/** How long a login waits for the platform. */
export const loginTimeoutMs = 10_000

const loginError = (code: WidgetErrorCode) => widgetError(code, `Natter's login failed: ${code}`)

/**
 * For a login with the token that is in use, which disturbs nothing: waits at most 10 s until the session is restored. Rejects
 * if it is not.
 */
export async function awaitCurrentLogin(clock: Clock, store: SessionStore): Promise<void> {
  await withTimeout(clock, loginTimeoutMs, store.scope.ready, () => loginError('network'))
  const { kind } = store.state
  if (kind === 'identified') return
  throw loginError(store.endReason.peek() ? 'token_invalid' : kind === 'restoreFailed' ? 'network' : 'superseded')
}

export interface LoginAttempt {
  token: string
  /** Why, for the page. */
  reason: AuthReason
  /** What the platform has just said of the token: it is not asked again. */
  verified: Session | undefined
}

/**
 * Asks the platform whom a token identifies, and stores it. Rejects with a `WidgetError`; the visitor is then anonymous, or
 * whoever a later login or logout has made them.
 */
export async function verifyLogin(
  { api, clock, identity, isOriginRefused }: SessionDeps,
  scope: SessionScope,
  { token, reason, verified }: LoginAttempt,
  actions: Pick<SessionActions, 'identify' | 'endSession' | 'reconcile'>,
): Promise<void> {
  const { epoch, abortSignal } = scope
  let code: WidgetErrorCode = 'superseded'
  let isVerified = false

  /** Nobody is identified then, in other tabs too: never the previous person. The request ends with the scope. */
  function fail(failure: WidgetErrorCode) {
    if (isVerified || abortSignal.aborted) return
    // Another tab may have logged in or out since, and this one hasn't been told yet.
    actions.reconcile()
    if (abortSignal.aborted) return
    code = failure
    void actions.endSession('signed_out')
  }

  async function store(session: Session) {
    // Else another tab's login or logout came later, though this one hasn't been told yet.
    if (identity.writeToken(epoch, token)) {
      scope.token = token
      await actions.identify(scope, session, { reason, isOwnLogin: true })
    }
    // The page may have logged in or out when it heard of this login.
    actions.reconcile()
  }

  if (!isToken(token) || !isContactToken(token)) {
    fail('token_malformed')
    throw loginError('token_malformed')
  }
  const cancelTimer = clock.setTimeout(() => fail('network'), loginTimeoutMs)
  const shouldStopRetrying: StopCondition = ({ status, transient }, tries) => {
    if (!transient) fail(status === 404 ? 'bot_unavailable' : 'token_invalid')
    // Browsers tell scripts no more of a refused origin than of a lost connection.
    else if (!status && !tries) void isOriginRefused().then(isRefused => isRefused && fail('origin_not_allowed'))
    return !transient
  }
  const session = verified ?? (await api.retrieveSession({ token, abortSignal }, shouldStopRetrying))
  cancelTimer()
  if (session?.contact) {
    // What was found out about an attempt that failed before counts no longer.
    isVerified = true
    await store(session)
  } else fail('token_invalid')
  if (abortSignal.aborted) throw loginError(code)
}
