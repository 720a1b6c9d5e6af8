import { setTimeout } from 'node:timers/promises'
import { currentCall, type Deadline } from './callContext.ts'
import { createFairQueue } from './fairQueue.ts'
import { type BotScope, type Store, StoreBusyError } from './store.ts'

/** How many calls of one organization and of all can wait for the engine. */
const waitingCalls = { maxWaiting: 1_000, maxWaitingOfAll: 2_000 }
/** How many of them can be searches, lists and exports. */
const waitingReads = { maxWaiting: 100, maxWaitingOfAll: 2_000 }
/** An upsert of more entries is large. */
const largeUpsert = 100
/** The pause between two batches while other calls wait. Not longer: expired rows would accumulate under constant load. */
const pauseMs = 1_000

/**
 * Decides which calls reach the engine, and in which order. It protects against a slow engine in three ways: waiting
 * calls are bounded, so that they cannot fill the memory; a call that has not started by its deadline never starts, so
 * that nothing is written after its caller got an error; organizations are served in rotation, so that one cannot keep
 * the engine for itself. The platform's own calls (sweep, turns, deliveries, readiness) start at once.
 * Owner and deadline are those of `currentCall`.
 *
 * `maxConcurrent`: the most calls of requests that run at the same time. The platform's own calls are not counted.
 */
export function createAdmission(maxConcurrent: number) {
  const calls = createFairQueue({
    name: 'calls of the database',
    ...waitingCalls,
    maxConcurrent,
    // One place is left for others even if all calls of an organization wait, for a lock for instance.
    maxConcurrentPerOwner: Math.max(1, maxConcurrent - 1),
  })
  return {
    /** The number of calls that wait. */
    get waiting() {
      return calls.waiting
    },
    /**
     * Runs a call, which must not take effect after the deadline. Throws `StoreUnavailableError` if too many wait, or at the
     * deadline.
     */
    run<Result>(start: (deadline: Deadline) => Promise<Result>): Promise<Result> {
      const { owner, deadline } = currentCall()
      return owner === null ? start(deadline) : calls.run(owner, deadline, () => start(deadline))
    },
  }
}

/** Runs batches of background work until `runBatch` resolves to `false`. `isBusy`: whether other calls wait for the engine. */
export async function runInBatches(runBatch: () => Promise<boolean>, isBusy: () => boolean): Promise<void> {
  while (await runBatch()) if (isBusy()) await setTimeout(pauseMs)
}

/** Reads that can keep the engine busy for seconds. */
export const longReads = [
  'searchContacts',
  'listContacts',
  'searchConversations',
  'listConversations',
  'exportContact',
  'computeNumbers',
] as const

/**
 * Limits how many long reads and large upserts run at the same time, and serves organizations in rotation. They have lines of
 * their own: an organization's visitors must not wait for its imports.
 */
export function limitLongCalls(store: Store, most: { reads: number; largeUpserts: number }): Store {
  const reads = createFairQueue({
    name: 'reads',
    ...waitingReads,
    maxConcurrent: most.reads,
    FullError: StoreBusyError,
  })
  const upserts = createFairQueue({
    name: 'large upserts',
    ...waitingCalls,
    maxConcurrent: most.largeUpserts,
    maxConcurrentPerOwner: Math.max(1, most.largeUpserts - 1),
  })
  const deadline = (): Deadline => currentCall().deadline
  const queuedReads = longReads.map(name => {
    const read = store[name] as (scope: BotScope, ...rest: unknown[]) => Promise<unknown>
    const queued: typeof read = (scope, ...rest) =>
      reads.run(scope.organizationId, deadline(), () => read(scope, ...rest))
    return [name, queued]
  })
  return {
    ...store,
    ...Object.fromEntries(queuedReads),
    upsertContacts(scope, entries, request) {
      const upsert = () => store.upsertContacts(scope, entries, request)
      return entries.length > largeUpsert ? upserts.run(scope.organizationId, deadline(), upsert) : upsert()
    },
    queueDepth: () => store.queueDepth() + reads.waiting + upserts.waiting,
  }
}
