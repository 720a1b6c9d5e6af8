import type { AuthReason } from '../../loader/events.ts'
import type { SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'

/** Begins anew with a token; resolves when it has been checked. */
type Restore = (epoch: number, token: string, reason: AuthReason) => Promise<unknown>

type Refresh = NonNullable<SessionDeps['refreshToken']>

// The page's server may be slow, and may fail for a moment.
const answerMs = 15_000
const maxTries = 4
const seenMs = 100

/**
 * Exchanges a token that has expired: for the one that another tab has got meanwhile, or else for the one that the page
 * gives. Where it is of `who`, the contact of this session, the session goes on as it is; where there is none, it lapses.
 */
export async function renewToken(
  scope: SessionScope,
  who: string | undefined,
  deps: SessionDeps,
  restore: Restore,
  lapse: () => void,
): Promise<void> {
  const { page, identity, api, cache, lockName } = deps
  const { epoch, abortSignal, token: expired } = scope
  let restored: Promise<unknown> | undefined

  async function exchange() {
    // What the tab that was here before has written may be seen a moment later than the lock is free.
    await new Promise<void>(seen => deps.clock.after(seenMs, seen))
    const { n, token: standing } = identity.read()
    // Another tab's login or logout is on its way to this one.
    if (!expired || n !== epoch || !standing || abortSignal.aborted) return
    const fresh = standing === expired ? await askPage(deps, expired, abortSignal) : standing
    const found = fresh && (await api.retrieveSession({ token: fresh, abortSignal }, ({ transient }) => !transient))
    if (abortSignal.aborted || identity.read().n !== epoch) return
    const contact = found ? found.contact : null
    // Still under the lock: the next tab must find the session ended, and not ask the page again.
    if (!fresh || !contact) lapse()
    else if (contact.id === who) await keep(fresh)
    else restored = begin(fresh)
  }

  async function keep(token: string) {
    identity.write(token)
    scope.token = token
    deps.onTokenChange(scope)
    // localStorage has no transactions: a logout may have come between the look and the write.
    await cache.open(epoch, who ?? '')
    const now = identity.read()
    if (now.n !== epoch && now.reason !== 'login' && now.token === token) identity.write('')
  }

  /** With somebody else's token, and before it is known whose the session was: one epoch is of one contact. */
  function begin(token: string): Promise<unknown> {
    const next = identity.beginEpoch('login')
    void cache.transferEpoch(next, epoch)
    identity.write(token)
    return restore(next, token, who ? 'replaced' : 'restored')
  }

  await page.withLock(lockName, abortSignal, exchange)
  // A page that has called login() with the expired token waits for the outcome.
  await restored
  scope.renewal = undefined
}

/** Asks the page until it has answered: a well-formed token, or `null`. */
async function askPage(deps: SessionDeps, expired: string, abortSignal: AbortSignal): Promise<string | null> {
  // The page knows nothing of anonymous visitors' tokens.
  for (let tries = 0; expired[0] === 'c' && tries < maxTries && !abortSignal.aborted; tries++) {
    try {
      const token: unknown = await inTime(deps, expired, abortSignal)
      return /^c:[0-9a-f]{64}$/.test(`${token}`) ? `${token}` : null
    } catch {
      await deps.backoff.wait(tries, abortSignal)
    }
  }
  return null
}

/** The page's answer, unless it takes too long or the session is over. */
async function inTime(
  { clock, refreshToken }: SessionDeps,
  expired: string,
  abortSignal: AbortSignal,
): Promise<unknown> {
  let cancelTimer = () => {}
  const late = new Promise<never>((_, reject) => {
    cancelTimer = clock.after(answerMs, () => reject(new Error('No answer')))
    abortSignal.addEventListener('abort', reject, { once: true })
  })
  const ask = async () => {
    // A script tag names a global function, which may come later than the widget.
    const named = typeof refreshToken === 'string' && (globalThis as Record<string, unknown>)[refreshToken]
    return ((named || refreshToken) as Refresh)(expired)
  }
  try {
    return await Promise.race([ask(), late])
  } finally {
    cancelTimer()
  }
}
