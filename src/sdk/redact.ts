const tokens = /\b(?:[cv](?::|%3a)[0-9a-f]{8,}|o_[\w-]{8,})/gi

/** A text without secrets: those that are known, and whatever has the form of a token. */
export const redacted = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter(secret => secret !== '')
    .flatMap(secret => [secret, encodeURIComponent(secret)])
    .reduce((text, secret) => text.replaceAll(secret, '[redacted]'), text)
    .replace(tokens, '[redacted]')

/**
 * A copy of an error and its causes without secrets: runtimes name the whole URL in their messages, and the path of a
 * revocation holds a token. Only name, code and message are taken along, since a property may hold the request.
 */
export function withoutSecrets(error: unknown, secrets: readonly string[], depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined
  const cause = withoutSecrets(error.cause, secrets, depth + 1)
  const copy = new Error(redacted(error.message, secrets), cause && { cause })
  copy.name = error.name
  copy.stack = `${error.name}: ${copy.message}`
  return 'code' in error && typeof error.code === 'string' ? Object.assign(copy, { code: error.code }) : copy
}
