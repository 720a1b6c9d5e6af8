// What the first stage does with storage before the core is there; the same keys as in identity.ts.

const key = (botId: string, name: string) => `natter:${botId}:${name}`

/** The stored token, `''` for none, or `-` where something is left to erase. */
export function readToken(botId: string): string {
  try {
    return localStorage.getItem(key(botId, 'token')) || ''
  } catch {
    // Storage is blocked.
    return ''
  }
}

/** Takes the token away and begins the epoch of a logout, so that every tab forgets; returns the token. */
export function forgetSession(botId: string): string {
  const token = readToken(botId)
  try {
    // Should the clock have been set back, then tabs that find a lower epoch forget all the same.
    localStorage.setItem(key(botId, 'epoch'), `${Date.now() * 1000} logout`)
    // Not a token, but something: the core, on this page or the next, has to erase what else is stored.
    localStorage.setItem(key(botId, 'token'), '-')
  } catch {
    // As above.
  }
  return token
}
