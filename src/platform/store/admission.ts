import { type Deadline, monotonicMs, requireBefore } from './deadline.ts'
import { createFairQueue } from './fairQueue.ts'
import { StoreUnavailableError } from './store.ts'

/** Ours: more calls than this do not wait for the engine at the same time. */
const maxShort = 2_000
/** Ours: how many long writes of one organization, and of all, can wait. Each holds its entries in memory. */
const [maxLongOfOwner, maxLong] = [64, 256]

/** An upsert of more entries than this is a long write. */
export const longFrom = 100

/** Starts a call; what it does must not take effect after the deadline. */
export type StartCall<Result> = (deadline: Deadline) => Promise<Result>

/**
 * Decides which calls reach the engine. A slow engine must neither fill the memory with calls that wait for it, nor write
 * later what its caller has been told to have failed. So there is a bound, beyond which calls fail at once, and what has
 * not begun by its deadline does not begin.
 */
export interface Admission {
  /** How many calls wait or run. */
  readonly pending: number
  /** Runs a call that takes one moment of the engine. Throws `StoreUnavailableError` beyond the bound. */
  short<Result>(limitMs: number, start: StartCall<Result>): Promise<Result>
  /** Runs a write of many entries when its organization has its turn. Throws `StoreUnavailableError` beyond the bound. */
  long<Result>(organizationId: string, limitMs: number, start: StartCall<Result>): Promise<Result>
}

/** `longAtOnce`: how many long writes run at the same time. */
export function createAdmission({ longAtOnce }: { longAtOnce: number }): Admission {
  const long = createFairQueue({
    maxWaiting: maxLongOfOwner,
    maxWaitingOfAll: maxLong,
    atOnce: longAtOnce,
    createFullError: () => new StoreUnavailableError('Too many large upserts are waiting.'),
  })
  let running = 0

  async function run<Result>(deadline: Deadline, start: StartCall<Result>): Promise<Result> {
    requireBefore(deadline)
    running++
    try {
      return await start(deadline)
    } finally {
      running--
    }
  }

  return {
    get pending() {
      return running + long.waiting
    },
    async short(limitMs, start) {
      if (running >= maxShort) throw new StoreUnavailableError('Too many calls are waiting for the database.')
      return run(monotonicMs() + limitMs, start)
    },
    long(organizationId, limitMs, start) {
      const deadline = monotonicMs() + limitMs
      return long.run(organizationId, deadline, () => run(deadline, start))
    },
  }
}
