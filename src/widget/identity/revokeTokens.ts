import type { ApiClient } from '../api/apiClient.ts'

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
  const revokeErased = async () => {
    const token = (await erased) ?? null
    if (!known.has(token)) await revoke(token)
  }
  await Promise.all([...[...known].map(revoke), revokeErased()])
}
