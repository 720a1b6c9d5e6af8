import { computed } from '@preact/signals-core'
import { untilTrue } from '../async/untilTrue.ts'
import { withLockInTime } from '../async/withLockInTime.ts'
import { withRetries } from '../async/withRetries.ts'
import type { Deps } from '../conversation/deps.ts'
import { storageDelayMs } from '../store/storageDelays.ts'
import type { TokenUrlAnswer } from './askTokenUrl.ts'
import type { IdentityStore } from './identityStore.ts'
import { isEndedOnPurpose } from './reconcile.ts'
import { revokeToken } from './revokeTokens.ts'
import { isContactToken, type StoredIdentity } from './storedIdentity.ts'
import type { VisitorSession } from './visitorSession.ts'

export interface SignInCheckDeps extends Omit<Deps, 'emit' | 'abortSignal'> {
  botId: string
  identity: IdentityStore
  session: VisitorSession
  /** Asks the site who is signed in. `token` is the stored one. Never rejects. */
  ask(token: string | null, signal: AbortSignal): Promise<TokenUrlAnswer>
  /** Nobody is signed in, and the session is a contact's. */
  onNobody(): void
  /** The answer is invalid. `what` tells the site's owner why. */
  onInvalid(what: string): void
}

/**
 * - `confirmed`: the session agrees with the site's answer.
 * - `notAsked`: the session was ended on purpose, so the site must not be asked.
 * - `failed`: the answer is invalid, and asking again at once would not help.
 * - `aborted`: the question was aborted.
 */
export type CheckResult = 'confirmed' | 'notAsked' | 'failed' | 'aborted'
/** `unsettled`: the stored session is being restored again. */
type Outcome = CheckResult | 'unreachable' | 'unsettled'

/**
 * How long a token of the site counts until the platform has verified it. A tab that was suspended meanwhile asks again: somebody
 * else may be signed in now.
 */
const unverifiedMs = 60_000

/** One question to the site. */
interface SignInQuestion {
  /** Aborted when the answer is no longer needed. */
  signal: AbortSignal
  /** An epoch in which the site is asked although the session was ended on purpose, because the page called `refresh()`. */
  allowedEpoch: string | undefined
  /** Called after each attempt without an answer. */
  onUnreachable(): void
}

/**
 * Asks the site who is signed in, retries until it has answered, and then logs in, logs out, or leaves the session as it is.
 */
export async function checkSignIn(
  deps: SignInCheckDeps,
  { signal, allowedEpoch, onUnreachable }: SignInQuestion,
): Promise<CheckResult> {
  const { api, clock, identity, session, backoff } = deps
  /** Whether the stored session is restored, or can't be. */
  const isSettled = computed(
    () =>
      // Asking earlier could give an answer that is older than a login of another tab that localStorage shows late.
      session.isReady.value ||
      session.status.value === 'restoreFailed' ||
      // An anonymous session has no contact, so there is nothing to wait for.
      (session.status.value === 'restoring' && session.authState.value === 'anonymous') ||
      // The platform refuses the token, so it will not name the contact.
      session.isExpired.value,
  )

  async function askOnce(): Promise<Outcome> {
    if (signal.aborted) return 'aborted'
    if (!isSettled.peek()) return 'unsettled'
    session.followStorage()
    const asked = identity.read()
    if (isEndedOnPurpose(asked.reason) && asked.epoch !== allowedEpoch) return 'notAsked'
    const answer = await deps.ask(asked.token, signal)
    if (signal.aborted) return 'aborted'
    return isOutdated(asked) ? askOnce() : follow(answer, asked)
  }

  /** Whether the session has changed since the question, so that the answer may be about somebody else. */
  function isOutdated(asked: StoredIdentity): boolean {
    session.followStorage()
    const { epoch, reason } = identity.read()
    return epoch !== asked.epoch && reason !== 'storage_reset'
  }

  async function follow(answer: TokenUrlAnswer, asked: StoredIdentity): Promise<Outcome> {
    switch (answer.kind) {
      case 'samePerson':
        return 'confirmed'
      case 'signedOut':
        if (isContactToken(asked.token)) deps.onNobody()
        return 'confirmed'
      case 'token':
        return logIn(answer.token, asked)
      case 'unreachable':
        return 'unreachable'
      case 'invalid':
        deps.onInvalid(answer.what)
        return 'failed'
      default:
        return answer satisfies never
    }
  }

  async function logIn(token: string, asked: StoredIdentity): Promise<Outcome> {
    const givenAt = clock.now()
    const isOld = () => clock.now() - givenAt >= unverifiedMs
    // Verify the token before the login, because a failed login erases the stored data. The lock is held meanwhile: the site
    // would create another token for each question.
    const verification = api.retrieveSession({ token, abortSignal: signal }, ({ transient }) => {
      if (transient) onUnreachable()
      return !transient || isOld()
    })
    const [verified, owner] = await Promise.all([verification, readOwner(asked)])
    if (signal.aborted || isOutdated(asked) || isOld()) {
      revokeUnused(token)
      return askOnce()
    }
    if (!verified?.contact)
      return follow({ kind: 'invalid', what: 'gave a token that the platform does not accept' }, asked)
    const isSamePerson = verified.contact.id === owner && identity.read().epoch === asked.epoch
    const wasExpired = session.isExpired.peek()
    try {
      // The token is already verified, so this doesn't depend on the network.
      if (isSamePerson) await session.continueWith(token, verified)
      else await session.login({ token }, verified)
    } catch {
      return 'unreachable'
    }
    // The new token replaces the former one. An expired token needs no revocation.
    const before = asked.token
    if (before && before !== token && isContactToken(before) && !wasExpired) {
      // A tab that doesn't see yet that its epoch has another token would take the end of the former one for a logout.
      const revoke = () => void revokeToken(api, before)
      if (isSamePerson) clock.setTimeout(revoke, storageDelayMs)
      else revoke()
    }
    return 'confirmed'
  }

  /** Resolves to the id of the contact whose session is stored, or to `''` if there is none or it isn't known. */
  async function readOwner({ epoch, token }: StoredIdentity): Promise<string> {
    if (!isContactToken(token)) return ''
    let owner = session.contact.peek()?.id ?? ''
    // The platform doesn't name the owner of an expired token.
    if (!owner) await deps.records.read(epoch, stored => (owner = stored))
    return owner
  }

  /** Revokes a token of the site that nobody has logged in with. */
  function revokeUnused(token: string) {
    if (token !== identity.read().token) void revokeToken(api, token)
  }

  /** Asks while no other tab does. */
  async function askLocked(): Promise<Outcome> {
    let outcome = 'unreachable' as Outcome
    await untilTrue(isSettled, signal)
    await withLockInTime(deps, `natter:${deps.botId}:signIn`, signal, async () => {
      outcome = await askOnce()
    })
    return outcome
  }

  /** Rejects without an answer. The lock is released then: another tab may be visible and should ask at once. */
  async function attempt(): Promise<CheckResult> {
    const outcome = await askLocked()
    if (signal.aborted) return 'aborted'
    if (outcome === 'unsettled') return attempt()
    if (outcome === 'unreachable') throw new Error('There is no answer')
    return outcome
  }

  const result = await withRetries(attempt, {
    backoff,
    abortSignal: signal,
    shouldGiveUp() {
      onUnreachable()
      return false
    },
  })
  return result ?? 'aborted'
}
