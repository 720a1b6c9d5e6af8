import type { Deadline } from './deadline.ts'
import { createFairQueue } from './fairQueue.ts'
import { currentCall } from './requestContext.ts'

/** The most calls of one organization that can wait for the engine. */
const maxWaitingOfOwner = 1_000
/** The most calls of all organizations that can wait for the engine. */
const maxWaiting = 2_000

/** Starts a call. The call must not take effect after the deadline. */
export type StartCall<Result> = (deadline: Deadline) => Promise<Result>

/**
 * Decides which calls reach the engine, and in which order. It protects against a slow engine in three ways: waiting
 * calls are bounded, so that they cannot fill the memory; a call that has not started by its deadline never starts, so
 * that nothing is written after its caller got an error; organizations are served in rotation, so that one cannot keep
 * the engine for itself. The platform's own calls (sweep, turns, deliveries, readiness) start at once.
 *
 * The deadline is that of `currentCall`; `limitMs` applies to calls without one.
 */
export interface Admission {
  /** The number of calls that wait or run. */
  readonly pending: number
  /**
   * Runs a call. Throws `StoreUnavailableError` if too many wait, or at the deadline. A call that `isLarge` takes half of the
   * room, and waits in a line of its own: the organization's visitors must not wait for its imports.
   */
  run<Result>(limitMs: number, start: StartCall<Result>, isLarge?: boolean): Promise<Result>
}

/** `maxConcurrent`: the most calls of requests that run at the same time. The platform's own calls are not counted. */
export function createAdmission(maxConcurrent: number): Admission {
  const calls = createFairQueue({
    name: 'calls of the database',
    maxWaiting: maxWaitingOfOwner,
    maxWaitingOfAll: maxWaiting,
    maxConcurrent,
    // One place is left for others even if all calls of an organization wait, for a lock for instance.
    maxConcurrentPerOwner: Math.max(1, maxConcurrent - 1),
  })
  const largeSize = Math.max(1, Math.floor(maxConcurrent / 2))
  let running = 0

  return {
    get pending() {
      return running + calls.waiting
    },
    async run(limitMs, start, isLarge = false) {
      const { owner, deadline } = currentCall(limitMs)
      const begin = async () => {
        running++
        try {
          return await start(deadline)
        } finally {
          running--
        }
      }
      if (owner === null) return begin()
      return isLarge ? calls.run(`large ${owner}`, deadline, begin, largeSize) : calls.run(owner, deadline, begin)
    },
  }
}
