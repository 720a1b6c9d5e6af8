import { delay, withDeadline } from '../async/timing.ts'
import { withRetries } from '../async/withRetries.ts'
import type { Deps } from '../conversation/deps.ts'
import type { WidgetOptions } from '../loader/options.ts'
import { usualStorageDelayMs } from '../store/storageDelays.ts'
import type { TokenUrlAnswer } from './askTokenUrl.ts'
import type { IdentityStore } from './identityStore.ts'
import { checkSignIn } from './signInCheck.ts'
import { isContactToken, isToken } from './storedIdentity.ts'
import type { VisitorSession } from './visitorSession.ts'

interface RenewTokenDeps extends Deps {
  refreshToken: NonNullable<WidgetOptions['refreshToken']>
  identity: IdentityStore
  session: VisitorSession
  botId: string
}

/** Leaves the page's server enough time for a slow answer. */
const pageAnswerMs = 15_000
/** Failures while the browser is offline don't count. */
const maxFailures = 4

/**
 * Renews an expired token: asks the page's `refreshToken` for one, as a site with `tokenUrl` is asked. With a token of the same
 * contact the session continues unchanged. Without a valid one it ends as expired. `abortSignal` aborts when the session
 * ends.
 */
export async function renewToken(deps: RenewTokenDeps, expired: string, abortSignal: AbortSignal): Promise<void> {
  const { clock, backoff, page, identity, session, refreshToken } = deps

  async function askOnce(): Promise<unknown> {
    // The attribute contains the name of a global function, which may be defined after the widget is loaded.
    const named = typeof refreshToken === 'string' && (globalThis as Record<string, unknown>)[refreshToken]
    const call = (named || refreshToken) as typeof refreshToken
    const result = await withDeadline(clock, pageAnswerMs, abortSignal, async () => ({ answer: await call(expired) }))
    if (!result) throw new Error('The page has not answered')
    return result.answer
  }

  async function ask(): Promise<TokenUrlAnswer> {
    // The tab that has had the lock before may have stored another token.
    await delay(clock, usualStorageDelayMs)
    if (!isStored()) return { kind: 'samePerson' }
    let failures = 0
    const shouldGiveUp = () => page.online() && ++failures === maxFailures
    const answer = await withRetries(askOnce, { backoff, abortSignal, shouldGiveUp })
    return isToken(answer) && isContactToken(answer) ? { kind: 'token', token: answer } : { kind: 'signedOut' }
  }

  const isStored = () => identity.read().token === expired

  function end() {
    // Another tab has not waited for the lock if this one was suspended. Its token counts.
    if (isStored()) void session.beginAnonymousEpoch('expired')
  }

  const question = { signal: abortSignal, allowedEpoch: undefined, onUnreachable() {} }
  await checkSignIn({ ...deps, ask, onNobody: end, onInvalid: end }, question)
}
