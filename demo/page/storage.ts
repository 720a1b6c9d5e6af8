/** Storage as a browser refuses it whose visitor allows no site any; before anything has asked for it. */
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

/** The token that the widget keeps in this browser, where it was told to, by its first characters. */
export function keptToken({ botId, persist }: DOMStringMap): string {
  if (persist === 'memory') return 'in memory only'
  try {
    const storage = persist === 'session' ? sessionStorage : localStorage
    const [token] = /[cv]:[\da-f]{64}/.exec(storage.getItem(`natter:${botId}:identity`) ?? '') ?? []
    return token ? masked(token) : 'none'
  } catch {
    return 'storage is blocked'
  }
}

const masked = (token: string): string => `${token.slice(0, 6)}${'•'.repeat(10)}`
