import type { Area } from './area.ts'
import { isToken } from './decode.ts'

/** The session's token, shared by all tabs of the origin. */
export interface TokenStore {
  read(): string | null
  write(token: string | null): void
  /** Tells whether a page may log in with this. */
  isContactToken(value: unknown): value is string
}

export function createTokenStore(area: Area, botId: string): TokenStore {
  const key = `natter:${botId}:token`
  return {
    read() {
      const token = area.get(key)
      return isToken(token) ? token : null
    },
    write: token => area.set(key, token),
    isContactToken: (value): value is string => isToken(value) && value[0] === 'c',
  }
}
