/** Makes storage throw, as in a browser that blocks it. Call it before anything uses storage. */
export function blockStorage(): void {
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
    Object.defineProperty(window, name, {
      configurable: true,
      get() {
        throw new DOMException('Access is denied for this document', 'SecurityError')
      },
    })
  }
}

/** The first characters of the token that the widget has stored in this browser, if it may store it. */
export function storedToken({ botId, persist }: DOMStringMap): string {
  if (persist === 'memory') return 'in memory only'
  try {
    const storage = persist === 'session' ? sessionStorage : localStorage
    const [token] = /[cv]:[\da-f]{64}/.exec(storage.getItem(`natter:${botId}:identity`) ?? '') ?? []
    return token ? mask(token) : 'none'
  } catch {
    return 'storage is blocked'
  }
}

const mask = (token: string): string => `${token.slice(0, 6)}${'•'.repeat(10)}`
