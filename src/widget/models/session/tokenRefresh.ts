import { delay } from '../../async/delay.ts'
import { isContactToken } from '../../storage/storedIdentity.ts'
import { isToken } from '../../storage/token.ts'
import type { SessionActions } from './sessionActions.ts'
import type { SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'

/** The page's server may be slow, and may fail for a moment; time without a network doesn't count. */
const refreshTimeoutMs = 15_000
const maxTries = 4
/** What the tab that held the lock before has written may be seen a moment after the lock is free. */
const visibleMs = 100

/**
 * Exchanges a contact's token that has expired: for the one that another tab has got meanwhile, or else for the one that
 * the page gives. Where it is of the same contact the session goes on as it is; where there is none, it has expired.
 * `contactId`: whose the expired token is; not known while the session is being restored.
 */
export async function refreshToken(
  deps: SessionDeps,
  scope: SessionScope,
  contactId: string | undefined,
  actions: Pick<SessionActions, 'restoreSession' | 'endSession'>,
): Promise<void> {
  const { page, identity, api, cache, clock, lockName } = deps
  const { epoch, abortSignal, token: expired } = scope
  let restored: Promise<unknown> | undefined

  async function exchange() {
    await delay(clock, visibleMs)
    const stored = identity.read()
    // Another tab's login or logout is on its way to this one.
    if (!expired || !stored.token || stored.epoch !== epoch || abortSignal.aborted) return
    const token = stored.token === expired ? await askPage(deps, expired, abortSignal) : stored.token
    const session = token && (await api.retrieveSession({ token, abortSignal }, ({ transient }) => !transient))
    if (abortSignal.aborted || identity.read().epoch !== epoch) return
    const contact = session ? session.contact : null
    // Still under the lock: the next tab must find the session ended, and not ask the page again.
    if (!token || !contact) void actions.endSession('expired')
    else if (contact.id === contactId) continueWith(token)
    else restored = beginWith(token)
  }

  function continueWith(token: string) {
    // Else another tab's login or logout has come meanwhile.
    if (!identity.writeToken(epoch, token)) return
    scope.token = token
    deps.onTokenChange(scope)
  }

  /** With somebody else's token, and before it is known whose the session was: one epoch is of one contact. */
  function beginWith(token: string): Promise<unknown> {
    deps.saveDraft()
    const next = identity.beginEpoch('login')
    void cache.transferEpoch(next, epoch)
    identity.writeToken(next, token)
    return actions.restoreSession(next, token, contactId ? 'replaced' : 'restored')
  }

  await page.withLock(lockName, abortSignal, exchange)
  // A page that has called login() with the expired token waits for the outcome.
  await restored
}

/** Asks the page until it has answered: a well-formed token, or `null`. */
async function askPage(deps: SessionDeps, expired: string, abortSignal: AbortSignal): Promise<string | null> {
  const { backoff, page } = deps
  let failures = 0
  for (let tries = 0; failures < maxTries && !abortSignal.aborted; tries++) {
    try {
      const token = `${await askOnce(deps, expired, abortSignal)}`
      return isToken(token) && isContactToken(token) ? token : null
    } catch {
      if (page.online()) failures++
      await backoff.wait(tries, abortSignal)
    }
  }
  return null
}

/** Resolves to what the page returns. Rejects if that takes too long or the session is over. */
async function askOnce(
  { clock, refreshToken }: SessionDeps,
  expired: string,
  abortSignal: AbortSignal,
): Promise<unknown> {
  let stopWaiting = () => {}
  const late = new Promise<never>((_, reject) => {
    const onAbort = () => reject(abortSignal.reason)
    const cancelTimer = clock.setTimeout(() => reject(new Error('The page has not answered')), refreshTimeoutMs)
    abortSignal.addEventListener('abort', onAbort)
    stopWaiting = () => {
      cancelTimer()
      abortSignal.removeEventListener('abort', onAbort)
    }
  })
  const ask = async () => {
    // A script tag names a global function, which may be defined later than the widget is loaded.
    const named = typeof refreshToken === 'string' && (globalThis as Record<string, unknown>)[refreshToken]
    return ((named || refreshToken) as NonNullable<SessionDeps['refreshToken']>)(expired)
  }
  try {
    return await Promise.race([ask(), late])
  } finally {
    stopWaiting()
  }
}
