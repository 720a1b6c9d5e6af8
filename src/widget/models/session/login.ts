import type { Session } from '../../../contract/index.ts'
import type { StopCondition } from '../../api/apiClient.ts'
import type { Clock } from '../../app/environment.ts'
import { withTimeout } from '../../async/withTimeout.ts'
import { widgetError } from '../../loader/errors.ts'
import type { WidgetErrorCode } from '../../loader/events.ts'
import { isToken } from '../../storage/token.ts'
import type { SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'
import { isContactToken } from './sessionState.ts'

/** What a login does with the session. */
interface LoginActions {
  /** The session is that of the contact from now on. */
  identify(session: Session): Promise<void>
  endSession(): void
  reconcile(): void
}

const loginTimeoutMs = 10_000

export const loginError = (code: WidgetErrorCode) => widgetError(code, `Natter's login failed: ${code}`)

/** Settles like `promise`, but rejects with `network` after 10 s. */
export const withLoginTimeout = (clock: Clock, promise: Promise<unknown>): Promise<unknown> =>
  withTimeout(clock, loginTimeoutMs, promise, () => loginError('network'))

/**
 * Asks the platform whom `token` identifies, unless that is `known`, and stores it. Rejects with a `WidgetError`; the
 * visitor is then anonymous, or whoever a later login or logout has made them.
 */
export async function verifyLogin(
  { api, clock, identity, isOriginRefused }: SessionDeps,
  scope: SessionScope,
  token: string,
  known: Session | undefined,
  actions: LoginActions,
): Promise<void> {
  const { epoch, abortSignal } = scope
  let code: WidgetErrorCode = 'superseded'
  let isVerified = false

  /** Nobody is identified then, in other tabs too: never the previous person. The request ends with the scope. */
  function fail(reason: WidgetErrorCode) {
    if (isVerified || abortSignal.aborted) return
    // Another tab may have logged in or out since, and this one hasn't been told yet.
    actions.reconcile()
    if (abortSignal.aborted) return
    code = reason
    actions.endSession()
  }

  async function store(session: Session) {
    // Else another tab's login or logout came later, though this one hasn't been told yet.
    if (identity.writeToken(epoch, token)) {
      scope.token = token
      await actions.identify(session)
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
  const session = known ?? (await api.retrieveSession({ token, abortSignal }, shouldStopRetrying))
  cancelTimer()
  if (session?.contact) {
    // What was found out about an attempt that failed before counts no longer.
    isVerified = true
    await store(session)
  } else fail('token_invalid')
  if (abortSignal.aborted) throw loginError(code)
}
