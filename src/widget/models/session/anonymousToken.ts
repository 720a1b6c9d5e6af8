import type { ShouldStopRetrying } from '../../api/apiClient.ts'
import type { AnonymousSessionStore } from '../../storage/anonymousSession.ts'
import type { SessionDeps } from './sessionModel.ts'
import type { SessionScope } from './sessionScope.ts'
import { isContactToken } from './sessionState.ts'

/** How often a tab looks whether another has created the session: the `storage` event usually comes before that. */
const pollMs = 250

/**
 * The token of the scope's anonymous session, which this tab creates unless another one has claimed to. `null` where it
 * can't be created now, or is no longer wanted.
 */
export async function acquireAnonymousToken(
  { api, clock, anonymousSessions }: SessionDeps,
  scope: SessionScope,
  isWanted: () => boolean,
  shouldStopRetrying: ShouldStopRetrying,
): Promise<string | null> {
  const { epoch } = scope

  async function create(): Promise<string | null> {
    const created = await api.createVisitorSession(scope, (failure, tries) => {
      const isLast = shouldStopRetrying(failure, tries)
      if (!isLast) void anonymousSessions.claim(epoch)
      return isLast
    })
    if (!created) {
      void anonymousSessions.release(epoch)
      return null
    }
    const token = await anonymousSessions.complete(epoch, created.token)
    if (isWanted() && token === created.token) return token
    // Another tab was faster, or somebody has logged in or out meanwhile: nobody may go on in this session.
    if (scope.token !== created.token) {
      void api.revokeSession({ token: created.token, abortSignal: new AbortController().signal }, () => true)
    }
    return token
  }

  while (isWanted()) {
    const claim = await anonymousSessions.claim(epoch)
    if (claim.status === 'created') return claim.token
    if (claim.status === 'granted') return create()
    // Another tab is creating the session, or has begun another epoch: localStorage will show it.
    await new Promise<void>(resolve => clock.setTimeout(resolve, pollMs))
  }
  return null
}

/** The token that another tab has stored for the scope's epoch. What localStorage says counts only where nothing else does. */
export async function findAnonymousToken(
  { identity, anonymousSessions }: Pick<SessionDeps, 'identity' | 'anonymousSessions'>,
  { epoch }: SessionScope,
): Promise<string | null> {
  const known = await anonymousSessions.find(epoch)
  const stored = identity.read()
  if (stored.epoch !== epoch) return null
  if (known === undefined) return stored.token
  // Its tab wrote it before it saw that another epoch had begun.
  if (!known && stored.token) identity.removeToken()
  return known
}

/** Whether localStorage holds the token of an earlier epoch: its tab wrote it before it saw another tab's logout. */
export async function isStaleAnonymousToken(
  anonymousSessions: AnonymousSessionStore,
  { epoch, token }: SessionScope,
): Promise<boolean> {
  const known = isContactToken(token) ? undefined : await anonymousSessions.find(epoch)
  return known !== undefined && known !== token
}
