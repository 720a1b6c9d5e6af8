import type { Clock } from '../clock.ts'
import type { AuthReason } from '../events.ts'
import type { Area } from './area.ts'
import { isToken, parseEpoch } from './decode.ts'

/** The session's token and how often identity has changed, shared by all tabs of the origin. */
export interface IdentityStore {
  read(): { n: number; reason: AuthReason; token: string | null }
  /** Begins the next epoch, which has no token yet, and returns it: what began under an earlier one counts no more. */
  raise(reason: AuthReason): number
  write(token: string | null): void
  /** Nothing survives a reload. */
  readonly blocked: boolean
}

export function createIdentityStore({ get, set, blocked }: Area, botId: string, clock: Clock): IdentityStore {
  const tokenKey = `natter:${botId}:token`
  const epochKey = `natter:${botId}:epoch`
  const write = (token: string | null) => set(tokenKey, token)
  const read = () => {
    const token = get(tokenKey)
    return { ...parseEpoch(get(epochKey)), token: isToken(token) ? token : null }
  }
  return {
    blocked,
    read,
    write,
    raise(reason) {
      // The time, so that an epoch is higher than all before even if the visitor has emptied localStorage; and chance, so
      // that two tabs in one moment don't begin the same.
      const n = Math.max(read().n + 1, clock.now() * 1000 + Math.floor(clock.random() * 1000))
      // One write for both: other tabs must never see a new epoch with an old reason. And before the token goes: they
      // then know whether it goes because another comes.
      set(epochKey, `${n} ${reason}`)
      write(null)
      return n
    },
  }
}
