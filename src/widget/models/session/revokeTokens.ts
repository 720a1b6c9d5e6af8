import type { ApiClient } from '../../api/apiClient.ts'

/**
 * Revokes `tokens` at the platform, and the token that `cleared` resolves to: an anonymous session that another tab created
 * unnoticed and that the logout erased from storage. `destroy()` doesn't abort it, because sites unmount the chat at logout.
 */
export async function revokeTokens(
  api: ApiClient,
  tokens: readonly (string | null)[],
  cleared?: Promise<string | null>,
): Promise<void> {
  const known = new Set(tokens)
  const revoke = (token: string | null) =>
    token && api.revokeSession({ token, abortSignal: new AbortController().signal }, () => true)
  await Promise.all([...known].map(revoke))
  const erased = (await cleared) ?? null
  if (!known.has(erased)) await revoke(erased)
}
