import { StoreBusyError, StoreUnavailableError } from './store.ts'

export interface FairQueueOptions {
  /** How many calls of one owner can wait. */
  maxWaiting: number
  /** A call that has waited longer fails and does not run. */
  maxWaitMs: number
  /** How many calls run at the same time, default 1. */
  atOnce?: number
  /** Monotonic milliseconds. */
  elapsed?: () => number
}

export interface FairQueue {
  /** How many calls wait. */
  readonly waiting: number
  /**
   * Runs a call when it is its turn. Throws `StoreBusyError` if too many calls of this owner wait, and
   * `StoreUnavailableError` if the call has waited too long.
   */
  run<Result>(owner: string, start: () => Promise<Result>): Promise<Result>
}

/** A queue with limited concurrency in which owners take turns, so that one owner's calls cannot block the others. */
export function createFairQueue({
  maxWaiting,
  maxWaitMs,
  atOnce = 1,
  elapsed = () => performance.now(),
}: FairQueueOptions): FairQueue {
  // In the order of their turns. Each owner has at least one waiting call.
  const waitingByOwner = new Map<string, (() => void)[]>()
  let running = 0

  function next(): void {
    const [first] = waitingByOwner
    if (running === atOnce || !first) return
    const [owner, ownWaiting] = first
    waitingByOwner.delete(owner)
    const start = ownWaiting.shift()
    if (ownWaiting.length > 0) waitingByOwner.set(owner, ownWaiting)
    running++
    start?.()
  }

  return {
    get waiting() {
      return [...waitingByOwner.values()].reduce((sum, { length }) => sum + length, 0)
    },
    async run(owner, start) {
      const ownWaiting = waitingByOwner.get(owner) ?? []
      if (ownWaiting.length >= maxWaiting) throw new StoreBusyError('Too many reads of this organization are waiting.')
      const { promise: turn, resolve } = Promise.withResolvers<void>()
      const since = elapsed()
      ownWaiting.push(resolve)
      waitingByOwner.set(owner, ownWaiting)
      next()
      try {
        await turn
        if (elapsed() - since > maxWaitMs) throw new StoreUnavailableError('The read waited too long in the queue.')
        return await start()
      } finally {
        running--
        next()
      }
    },
  }
}
