import type { Clock } from '../environment/clock.ts'

/** Resolves after `ms`. It can't be cancelled: check afterwards whether the work is still wanted. */
export const delay = (clock: Clock, ms: number): Promise<void> =>
  new Promise(resolve => void clock.setTimeout(resolve, ms))
