const tokens = /\b(?:[cv](?::|%3a)[0-9a-f]{8,}|o_[\w-]{8,})/gi

/** Removes secrets from a text: known ones, and everything that looks like a token. */
export const redacted = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter(secret => secret !== '')
    .flatMap(secret => [secret, encodeURIComponent(secret)])
    .reduce((text, secret) => text.replaceAll(secret, '[redacted]'), text)
    .replace(tokens, '[redacted]')

/**
 * Copies an error and its causes without secrets: messages of runtimes contain the URL, and the path of a revocation
 * contains a token. Copies only name, code and message, since other properties may contain the request.
 */
export function withoutSecrets(error: unknown, secrets: readonly string[], depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined
  const cause = withoutSecrets(error.cause, secrets, depth + 1)
  const copy = new Error(redacted(error.message, secrets), cause && { cause })
  copy.name = error.name
  copy.stack = `${error.name}: ${copy.message}`
  return 'code' in error && typeof error.code === 'string' ? Object.assign(copy, { code: error.code }) : copy
}
