import { delay, withDeadline } from '../async/timing.ts'
import { withLockInTime } from '../async/withLockInTime.ts'
import { withRetries } from '../async/withRetries.ts'
import { usualStorageDelayMs } from '../store/storageDelays.ts'
import type { SessionScope } from './sessionScope.ts'
import { isContactToken, isToken } from './storedIdentity.ts'
import type { SessionDeps, VisitorSession } from './visitorSession.ts'

/** Leaves the page's server enough time for a slow answer. */
const pageAnswerMs = 15_000
/** Failures while the browser is offline don't count. */
const maxFailures = 4

/**
 * Exchanges a contact's expired token for the one that another tab has stored, or for one from the page's `refreshToken`.
 * With a token of the same contact the session continues unchanged. Without a valid token it ends as expired. `contactId` is
 * the owner of the expired token, or `undefined` while the session is being restored.
 */
export async function exchangeToken(
  deps: SessionDeps,
  scope: SessionScope,
  contactId: string | undefined,
  session: Pick<VisitorSession, 'restoreSession' | 'beginAnonymousEpoch' | 'setToken'>,
): Promise<void> {
  const { identity, api, records, clock, lockName } = deps
  const { epoch, abortSignal, token: expired } = scope
  let restored: Promise<unknown> | undefined

  async function exchange(): Promise<void> {
    // The tab that has had the lock before may have stored another token.
    await delay(clock, usualStorageDelayMs)
    const stored = identity.read()
    // Another tab has logged in or out, and this tab will be notified.
    if (!expired || !stored.token || stored.epoch !== epoch || abortSignal.aborted) return
    const token = stored.token === expired ? await askPage(deps, expired, abortSignal) : stored.token
    const verified = token && (await api.retrieveSession({ token, abortSignal }, ({ transient }) => !transient))
    const current = identity.read()
    if (abortSignal.aborted || current.epoch !== epoch) return
    // Another tab has not waited for the lock, because this one was suspended. Its token counts.
    if (current.token !== stored.token) return exchange()
    const contact = verified ? verified.contact : null
    // End the session while holding the lock, so that the next tab doesn't ask the page again.
    if (!token || !contact) void session.beginAnonymousEpoch('expired')
    else if (contact.id === contactId) session.setToken(scope, token)
    else restored = beginWith(token)
  }

  /** Begins another epoch, because each belongs to one contact and the token may be another contact's. */
  function beginWith(token: string): Promise<unknown> {
    deps.carryDraft()
    const next = identity.beginEpoch('login')
    identity.writeToken(next.epoch, token)
    void records.move(next.epoch, epoch)
    return session.restoreSession({ ...next, token }, contactId ? 'replaced' : 'restored')
  }

  await withLockInTime(deps, lockName, abortSignal, exchange)
  // A page that has called login() with the expired token waits for the outcome.
  await restored
}

/** Asks the page, with retries. Resolves to a well-formed contact token, or to `null`. */
async function askPage(deps: SessionDeps, expired: string, abortSignal: AbortSignal): Promise<string | null> {
  const { backoff, page } = deps
  let countedFailures = 0
  const answer = await withRetries(() => askOnce(deps, expired, abortSignal), {
    backoff,
    abortSignal,
    shouldGiveUp() {
      if (page.online()) countedFailures++
      return countedFailures >= maxFailures
    },
  })
  return isToken(answer) && isContactToken(answer) ? answer : null
}

/** Resolves to the page's answer. Rejects if it takes too long or the session ends. */
async function askOnce(
  { clock, refreshToken }: SessionDeps,
  expired: string,
  abortSignal: AbortSignal,
): Promise<unknown> {
  // The attribute contains the name of a global function, which may be defined after the widget is loaded.
  const named = typeof refreshToken === 'string' && (globalThis as Record<string, unknown>)[refreshToken]
  const ask = (named || refreshToken) as NonNullable<SessionDeps['refreshToken']>
  const result = await withDeadline(clock, pageAnswerMs, abortSignal, async () => ({ answer: await ask(expired) }))
  if (!result) throw new Error('The page has not answered')
  return result.answer
}
