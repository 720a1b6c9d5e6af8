import type { Session } from '../../contract/index.ts'
import type { StopCondition } from '../api/apiClient.ts'
import { withTimeout } from '../async/timing.ts'
import { type AuthReason, type WidgetErrorCode, widgetError } from '../loader/events.ts'
import { storagePollMs } from '../store/storageDelays.ts'
import type { SessionActions, SessionDeps } from './sessionDeps.ts'
import type { SessionScope } from './sessionScope.ts'
import { isContactToken, isToken } from './storedIdentity.ts'

const loginTimeoutMs = 10_000
/** Longer than a login takes. Without locks, only time shows that the page of a login has gone. */
const remoteLoginTimeoutMs = loginTimeoutMs + 2000

const loginError = (code: WidgetErrorCode) => widgetError(code, `Natter's login failed: ${code}`)

/**
 * Handles a login with the token that is already in use: waits at most 10 s until that session is restored. Rejects if it
 * isn't restored by then.
 */
export async function awaitCurrentLogin(
  { clock, abortSignal }: Pick<SessionDeps, 'clock' | 'abortSignal'>,
  session: Pick<SessionActions, 'scope' | 'state' | 'endReason'>,
): Promise<void> {
  await withTimeout(clock, loginTimeoutMs, session.scope.settled, () => loginError('network'))
  const { kind } = session.state
  if (kind === 'identified') return
  if (abortSignal.aborted) throw loginError('destroyed')
  throw loginError(session.endReason.peek() ? 'token_invalid' : kind === 'restoreFailed' ? 'network' : 'superseded')
}

interface LoginAttempt {
  token: string
  /** The reason in the `auth` event. */
  reason: AuthReason
  verified: Session | undefined
}

/**
 * Asks the platform whom a token identifies, and stores the token. Rejects with a `WidgetError` on failure: then the visitor
 * is anonymous, or has the identity that a later login or logout has set.
 */
export async function verifyLogin(
  { api, clock, identity, isOriginRefused, abortSignal: destroyed }: SessionDeps,
  scope: SessionScope,
  { token, reason, verified }: LoginAttempt,
  actions: Pick<SessionActions, 'identify' | 'beginAnonymousEpoch' | 'followStorage'>,
): Promise<void> {
  const { epoch, abortSignal } = scope
  let code: WidgetErrorCode = 'superseded'
  let isVerified = false

  /** Makes the visitor anonymous in all tabs, so that the previous contact never comes back. This also aborts the request. */
  function fail(failure: WidgetErrorCode) {
    if (isVerified || abortSignal.aborted) return
    // Another tab may have logged in or out, and this one may not have been notified yet.
    actions.followStorage()
    if (abortSignal.aborted) return
    code = failure
    // Nobody could write meanwhile. What the page has said for the visitor goes on.
    void actions.beginAnonymousEpoch('login_failed', { keepUnsent: true })
  }

  async function store(session: Session) {
    // If the token can't be stored, another tab has logged in or out later.
    if (identity.writeToken(epoch, token)) {
      scope.token = token
      await actions.identify(scope, session, { reason, isOwnLogin: true })
    }
    // The page's listener may have logged in or out, or another tab may have.
    actions.followStorage()
  }

  if (!isToken(token) || !isContactToken(token)) {
    fail('token_malformed')
    throw loginError('token_malformed')
  }
  const cancelTimer = clock.setTimeout(() => fail('network'), loginTimeoutMs)
  const shouldStopRetrying: StopCondition = ({ status, transient }, tries) => {
    if (!transient) fail(status === 404 ? 'bot_unavailable' : 'token_invalid')
    // For scripts, a refused origin looks the same as a lost connection.
    else if (!status && !tries) void isOriginRefused().then(isRefused => isRefused && fail('origin_not_allowed'))
    return !transient
  }
  const session = verified ?? (await api.retrieveSession({ token, abortSignal }, shouldStopRetrying))
  cancelTimer()
  if (session?.contact) {
    // `isOriginRefused` may still report a failure of an earlier attempt, which no longer matters.
    isVerified = true
    await store(session)
  } else fail('token_invalid')
  if (abortSignal.aborted) throw loginError(destroyed.aborted ? 'destroyed' : code)
}

/** Waits for another tab's login in the scope. When it can no longer store a token, the login has failed for all tabs. */
export function awaitRemoteLogin(
  { clock, page, lockName }: SessionDeps,
  { abortSignal }: SessionScope,
  actions: Pick<SessionActions, 'beginAnonymousEpoch' | 'followStorage'>,
): void {
  function giveUp() {
    // A tab that was frozen may not have noticed yet how the login ended.
    actions.followStorage()
    if (!abortSignal.aborted) void actions.beginAnonymousEpoch('login_failed', { keepUnsent: true })
  }
  let cancelTimer = clock.setTimeout(giveUp, remoteLoginTimeoutMs)
  // The tab that logs in holds the lock, so check after a moment, when it has had time to get it. If the lock is free, that
  // tab has finished, which localStorage shows soon, or it has gone. A frozen tab keeps the lock, so the first timer is
  // needed as well.
  const cancelCheck = clock.setTimeout(() => {
    void page.withLock(lockName, abortSignal, async isLocked => {
      if (!isLocked) return
      cancelTimer()
      cancelTimer = clock.setTimeout(giveUp, storagePollMs)
    })
  }, storagePollMs)
  abortSignal.addEventListener('abort', () => {
    cancelTimer()
    cancelCheck()
  })
}
