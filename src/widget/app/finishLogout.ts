import { createApiClient } from '../api/apiClient.ts'
import { createBackoff } from '../api/backoff.ts'
import { transitionOnStart } from '../identity/reconcile.ts'
import { revokeTokens } from '../identity/revokeTokens.ts'
import { SessionScope } from '../identity/sessionScope.ts'
import { openAnonymousEpoch } from '../identity/sharedEpoch.ts'
import type { AppSettings } from './appSettings.ts'
import { createStores } from './createStores.ts'
import { createEnvironment, type Environment } from './environment.ts'

/**
 * Completes a logout that the loader began without the core: erases the visitor's stored data and revokes their tokens. It
 * does not end a session that another tab has begun since.
 */
export async function finishLogout(
  settings: Pick<AppSettings, 'botId' | 'baseUrl' | 'persist'>,
  tokens: readonly (string | null)[],
  given?: Environment,
): Promise<void> {
  const end = new AbortController()
  const environment = given ?? createEnvironment(settings, end.signal)
  const { clock, fetch, eventStream } = environment
  const backoff = createBackoff(clock)
  const api = createApiClient({ ...settings, fetch, eventStream, clock, backoff, onEnded() {} })
  const stores = createStores(settings, environment)
  const { identity } = stores

  /** Erases the data of all epochs before `epoch`. Resolves to the token of an erased anonymous session. */
  async function eraseBefore(epoch: string): Promise<string | null> {
    const scope = new SessionScope(epoch, null)
    let laterEpoch = ''
    const { erasedToken } = await openAnonymousEpoch({ ...stores, clock }, scope, {
      followStorage() {
        if (identity.read().epoch !== epoch) scope.end('Natter: another tab has logged in or out')
      },
      onSuperseded(laterThan) {
        laterEpoch = identity.beginEpoch('storage_reset', identity.newEpoch(laterThan))
        scope.end('Natter: a later epoch has begun')
      },
    })
    return erasedToken ?? (laterEpoch ? eraseBefore(laterEpoch) : null)
  }

  const stored = identity.read()
  // Another tab may have logged in since then.
  const isLoggedOut = transitionOnStart(stored).do === 'becomeAnonymous'
  await revokeTokens(api, tokens, isLoggedOut ? eraseBefore(stored.epoch) : undefined)
  end.abort('Natter has finished the logout')
}
