import { type Deadline, requireBefore } from './deadline.ts'
import { createFairQueue } from './fairQueue.ts'
import { currentCall } from './requestContext.ts'
import { StoreUnavailableError } from './store.ts'

/** Ours: how many calls of one organization, and of all, can wait for the engine. */
const [maxWaitingOfOwner, maxWaiting] = [1_000, 2_000]
/** Ours: how many of the platform's own calls can run. Its work has bounds of its own, so it does not get here. */
const maxOwn = 2_000
/** Ours: how many long writes of one organization, and of all, can wait. Each holds its entries in memory. */
const [maxLongOfOwner, maxLong] = [64, 256]

/** An upsert of more entries than this is a long write. */
export const longFrom = 100

/** Starts a call; what it does must not take effect after the deadline. */
export type StartCall<Result> = (deadline: Deadline) => Promise<Result>

export interface AdmissionOptions {
  /** How many calls of requests the engine gets at the same time; the platform's own calls come on top. */
  atOnce: number
  /** How many of them can be long writes. */
  longAtOnce: number
}

/**
 * Decides which calls reach the engine, and in which order. A slow engine must neither fill the memory with calls that
 * wait for it, nor write later what its caller has been told to have failed, nor be kept by one organization. So
 * organizations take turns, there is a bound beyond which calls fail at once, and what has not begun by its deadline
 * does not begin. The platform's own calls (sweep, turns, deliveries, readiness) wait for none of that.
 *
 * The deadline is the one of `currentCall`; `limitMs` applies to calls without one.
 */
export interface Admission {
  /** How many calls wait or run. */
  readonly pending: number
  /** Runs a call that takes one moment of the engine. Throws `StoreUnavailableError` beyond the bound. */
  short<Result>(limitMs: number, start: StartCall<Result>): Promise<Result>
  /** Runs a write of many entries when its organization has its turn. Throws `StoreUnavailableError` beyond the bound. */
  long<Result>(organizationId: string, limitMs: number, start: StartCall<Result>): Promise<Result>
}

export function createAdmission({ atOnce, longAtOnce }: AdmissionOptions): Admission {
  const calls = createFairQueue({
    maxWaiting: maxWaitingOfOwner,
    maxWaitingOfAll: maxWaiting,
    atOnce,
    // Whatever an organization's calls wait for, a lock for instance, others get through.
    atOncePerOwner: Math.max(1, atOnce - 1),
    createFullError: () => new StoreUnavailableError('Too many calls are waiting for the database.'),
  })
  const longCalls = createFairQueue({
    maxWaiting: maxLongOfOwner,
    maxWaitingOfAll: maxLong,
    atOnce: longAtOnce,
    createFullError: () => new StoreUnavailableError('Too many large upserts are waiting.'),
  })
  let running = 0
  let own = 0

  async function run<Result>(deadline: Deadline, start: StartCall<Result>): Promise<Result> {
    requireBefore(deadline)
    running++
    try {
      return await start(deadline)
    } finally {
      running--
    }
  }

  async function runOwn<Result>(deadline: Deadline, start: StartCall<Result>): Promise<Result> {
    if (own >= maxOwn) throw new StoreUnavailableError('Too many calls of the platform are running.')
    own++
    try {
      return await run(deadline, start)
    } finally {
      own--
    }
  }

  return {
    get pending() {
      return running + calls.waiting + longCalls.waiting
    },
    async short(limitMs, start) {
      const { owner, deadline } = currentCall(limitMs)
      return owner === null ? runOwn(deadline, start) : calls.run(owner, deadline, () => run(deadline, start))
    },
    long(organizationId, limitMs, start) {
      const { deadline } = currentCall(limitMs)
      return longCalls.run(organizationId, deadline, () =>
        calls.run(organizationId, deadline, () => run(deadline, start)),
      )
    },
  }
}
