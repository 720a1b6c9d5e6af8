import type { ApiClient } from '../../api/apiClient.ts'

/**
 * Revokes the tokens that a logout knows, and that of an anonymous session which has been `cleared` from storage: another tab
 * has just created that, and this one hadn't heard of it. Not ended by `destroy()`: sites unmount the chat at logout.
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
