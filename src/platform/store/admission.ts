import { type Deadline, requireBefore } from './deadline.ts'
import { createFairQueue } from './fairQueue.ts'
import { currentCall } from './requestContext.ts'
import { StoreUnavailableError } from './store.ts'

/** The most calls of one organization that can wait for the engine. */
const maxWaitingOfOwner = 1_000
/** The most calls of all organizations that can wait for the engine. */
const maxWaiting = 2_000
/** The most calls of the platform itself that can run. Its work has lower bounds, so this one is only a safeguard. */
const maxPlatformCalls = 2_000
/** The most large upserts of one organization that can wait. Each holds its entries in memory. */
const maxLargeUpsertsOfOwner = 64
/** The most large upserts of all organizations that can wait. */
const maxLargeUpserts = 256

/** Starts a call. The call must not take effect after the deadline. */
export type StartCall<Result> = (deadline: Deadline) => Promise<Result>

export interface AdmissionOptions {
  /** The most calls of requests that run at the same time. The platform's own calls are not counted. */
  maxConcurrent: number
  /** The most large upserts among them. */
  maxConcurrentLargeUpserts: number
}

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
  /** Runs a call. Throws `StoreUnavailableError` if too many wait, or at the deadline. */
  run<Result>(limitMs: number, start: StartCall<Result>): Promise<Result>
  /** Does the same with a large upsert of an organization, of which fewer can wait and run. */
  runLargeUpsert<Result>(organizationId: string, limitMs: number, start: StartCall<Result>): Promise<Result>
}

export function createAdmission({ maxConcurrent, maxConcurrentLargeUpserts }: AdmissionOptions): Admission {
  const calls = createFairQueue({
    name: 'calls of the database',
    maxWaiting: maxWaitingOfOwner,
    maxWaitingOfAll: maxWaiting,
    maxConcurrent,
    // One place is left for others even if all calls of an organization wait, for a lock for instance.
    maxConcurrentPerOwner: Math.max(1, maxConcurrent - 1),
  })
  const largeUpserts = createFairQueue({
    name: 'large upserts',
    maxWaiting: maxLargeUpsertsOfOwner,
    maxWaitingOfAll: maxLargeUpserts,
    maxConcurrent: maxConcurrentLargeUpserts,
  })
  let running = 0
  let platformCalls = 0

  async function begin<Result>(deadline: Deadline, start: StartCall<Result>): Promise<Result> {
    requireBefore(deadline)
    running++
    try {
      return await start(deadline)
    } finally {
      running--
    }
  }

  async function runForPlatform<Result>(deadline: Deadline, start: StartCall<Result>): Promise<Result> {
    if (platformCalls >= maxPlatformCalls)
      throw new StoreUnavailableError('Too many calls of the platform are running.')
    platformCalls++
    try {
      return await begin(deadline, start)
    } finally {
      platformCalls--
    }
  }

  return {
    get pending() {
      return running + calls.waiting + largeUpserts.waiting
    },
    async run(limitMs, start) {
      const { owner, deadline } = currentCall(limitMs)
      return owner === null ? runForPlatform(deadline, start) : calls.run(owner, deadline, () => begin(deadline, start))
    },
    runLargeUpsert(organizationId, limitMs, start) {
      const { deadline } = currentCall(limitMs)
      return largeUpserts.run(organizationId, deadline, () =>
        calls.run(organizationId, deadline, () => begin(deadline, start)),
      )
    },
  }
}
