import type { Clock } from '../app/clock.ts'
import type { Update } from './conversationCache.ts'
import { type EpochReason, isToken, parseEpoch } from './guards.ts'
import { stringify } from './stringify.ts'

/** The session's token and how often identity has changed, shared by all tabs of the origin. */
export interface IdentityStore {
  read(): { n: number; reason: EpochReason; token: string | null }
  /**
   * Begins the next epoch, which has no token yet, and returns it: what began under an earlier one counts no more. In the
   * token's place stands a reminder to erase what else is stored, for the next page load if this page is left at once.
   */
  beginEpoch(reason: EpochReason): number
  /** `''` removes it. */
  write(token: string): void
  /** The record of the cache beside it, where neither is to be shared. */
  update: Update
  /** Nothing survives a reload: the browser has refused to store, and memory takes the place. */
  blocked(): boolean
}

/** `open` is called on each use: the getter itself throws where storage is blocked. `announce` tells of what is written. */
export function createIdentityStore(
  botId: string,
  clock: Clock,
  open: () => Storage,
  notifySameWindow: () => void,
): IdentityStore {
  /** What storage has no room for. */
  const memory = new Map<string, string>()
  /** The epoch in storage that it stands beside: once there is another, it is nobody's. */
  let beside: string | null = null
  /** Of the epochs that this tab has known: the next is above it, even where another tab's write has put a lower one back. */
  let highest = 0
  const keyOf = (name: string) => `natter:${botId}:${name}`

  function stored(name: string): string | null {
    try {
      return open().getItem(keyOf(name))
    } catch {
      return null
    }
  }

  function get(name: string): string | null {
    if (stored('epoch') !== beside) memory.clear()
    return memory.get(name) ?? stored(name)
  }

  /** Without a value it is removed. */
  function set(name: string, value?: string) {
    memory.delete(name)
    try {
      if (value) open().setItem(keyOf(name), value)
      else open().removeItem(keyOf(name))
    } catch {
      if (value) memory.set(name, value)
    }
    beside = stored('epoch')
  }

  function read() {
    const token = get('token')
    const epoch = parseEpoch(get('epoch'))
    highest = Math.max(highest, epoch.n)
    return { ...epoch, token: isToken(token) ? token : null }
  }

  return {
    blocked: () => memory.has('epoch') || memory.has('token'),
    read,
    write(token) {
      set('token', token)
      notifySameWindow()
    },
    async update(change) {
      set('stored', stringify(change(JSON.parse(get('stored') || '0'))))
    },
    beginEpoch(reason) {
      // The time, so that an epoch is higher than all before even if the visitor has emptied localStorage; and chance, so
      // that two tabs in one moment don't begin the same.
      read()
      const n = Math.max(highest + 1, clock.now() * 1000 + Math.floor(clock.random() * 1000))
      // One write for both: other tabs must never see a new epoch with an old reason. And before the token goes: they
      // then know whether it goes because another comes.
      set('epoch', `${n} ${reason}`)
      set('token', '-')
      notifySameWindow()
      return n
    },
  }
}
