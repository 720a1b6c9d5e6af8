import { StoreBusyError, StoreUnavailableError } from './store.ts'

export interface FairQueueOptions {
  /** How many of one owner may wait. */
  maxWaiting: number
  /** What has waited for longer is given up and not run any more. */
  maxWaitMs: number
  /** How many run at a time, default 1. */
  atOnce?: number
  /** Milliseconds since any moment. */
  elapsed?: () => number
}

export interface FairQueue {
  /** How many wait for their turn. */
  readonly waiting: number
  /**
   * Runs it when its turn has come. Throws `StoreBusyError` where as many of this owner's wait as may, and
   * `StoreUnavailableError` where it has waited too long.
   */
  run<Result>(owner: string, start: () => Promise<Result>): Promise<Result>
}

/** A line in which few run at a time and owners take turns, so that nobody waits for all that another has asked. */
export function createFairQueue({
  maxWaiting,
  maxWaitMs,
  atOnce = 1,
  elapsed = () => performance.now(),
}: FairQueueOptions): FairQueue {
  // Owners in the order of their turns; each has at least one waiting.
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
      if (ownWaiting.length >= maxWaiting) throw new StoreBusyError('Too many reads of this organization wait.')
      const { promise: turn, resolve } = Promise.withResolvers<void>()
      const since = elapsed()
      ownWaiting.push(resolve)
      waitingByOwner.set(owner, ownWaiting)
      next()
      try {
        await turn
        if (elapsed() - since > maxWaitMs) throw new StoreUnavailableError('The read has waited too long for its turn.')
        return await start()
      } finally {
        running--
        next()
      }
    },
  }
}
