import type { ApiClient } from '../api/apiClient.ts'
import { storageDelayMs } from '../store/anonymousSession.ts'
import type { SessionDeps } from './sessionModel.ts'
import { isContactToken } from './storedIdentity.ts'

/**
 * Revokes a token at the platform, with one attempt. `destroy()` doesn't abort it, because sites unmount the chat at logout.
 * `onMissed` is called if the platform can't be reached.
 */
export async function revokeToken(api: ApiClient, token: string, onMissed?: (token: string) => void): Promise<void> {
  await api.revokeSession({ token, abortSignal: new AbortController().signal }, ({ transient }) => {
    if (transient) onMissed?.(token)
    return true
  })
}

/**
 * Revokes `tokens` at the platform, and the token that `erased` resolves to: an anonymous session that another tab created
 * unnoticed and that the logout erased from storage.
 */
export async function revokeTokens(
  api: ApiClient,
  tokens: readonly (string | null)[],
  erased?: Promise<string | null>,
  onMissed?: (token: string) => void,
): Promise<void> {
  const known = new Set(tokens)
  const revoke = (token: string | null) => token && revokeToken(api, token, onMissed)
  await Promise.all([...known].map(revoke))
  const erasedToken = (await erased) ?? null
  if (!known.has(erasedToken)) await revoke(erasedToken)
}

/**
 * Revokes the anonymous session that a login has replaced: `token`, or what `erased` resolves to. It does so once every tab
 * can see the login, because one that doesn't would take the end of its session for a logout; or when the page is left.
 */
export async function revokeReplacedSession(
  deps: Pick<SessionDeps, 'api' | 'clock' | 'page' | 'abortSignal'>,
  token: string | null,
  erased: Promise<{ erasedToken: string | null }>,
): Promise<void> {
  const stored = isContactToken(token) ? null : token
  const tokens = [stored, (await erased).erasedToken]
  if (tokens.every(each => !each)) return
  await untilLoginIsVisible(deps)
  await revokeTokens(deps.api, tokens)
}

function untilLoginIsVisible({ clock, page, abortSignal }: Pick<SessionDeps, 'clock' | 'page' | 'abortSignal'>) {
  return new Promise<void>(resolve => {
    if (abortSignal.aborted) return resolve()
    const stopWatching = page.on('pagehide', end)
    const cancelTimer = clock.setTimeout(end, storageDelayMs)
    abortSignal.addEventListener('abort', end)
    function end() {
      stopWatching()
      cancelTimer()
      abortSignal.removeEventListener('abort', end)
      resolve()
    }
  })
}
