import type { Clock } from '../clock.ts'
import type { AuthReason } from '../events.ts'
import type { Area } from './area.ts'
import { type Epoch, parseEpoch } from './decode.ts'

/** Counts the changes of identity in all tabs of the origin, so that what began under an earlier one can be told. */
export interface EpochStore {
  read(): Epoch
  /** Begins the next epoch and returns it. */
  raise(reason: AuthReason): number
}

export function createEpochStore(area: Area, botId: string, clock: Pick<Clock, 'now' | 'random'>): EpochStore {
  const key = `natter:${botId}:epoch`
  const read = () => parseEpoch(area.get(key))
  return {
    read,
    raise(reason) {
      // The time, so that an epoch is higher than all before even if the visitor has emptied localStorage; and chance, so
      // that two tabs in one moment don't begin the same.
      const n = Math.max(read().n + 1, clock.now() * 1000 + Math.floor(clock.random() * 1000))
      // One write for both: other tabs must never see a new epoch with an old reason.
      area.set(key, `${n} ${reason}`)
      return n
    },
  }
}
