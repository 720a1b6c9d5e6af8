import { StoreBusyError, StoreUnavailableError } from './store.ts'

export interface LaneOptions {
  /** How many of one owner may wait. */
  maxWaiting: number
  /** What has waited for longer is given up and not run any more. */
  maxWaitMs: number
  /** How many run at a time, default 1. */
  atOnce?: number
  /** Milliseconds since any moment. */
  elapsed?: () => number
}

export interface Lane {
  /** How many wait for their turn. */
  readonly waiting: number
  /**
   * Runs it when its turn has come. Throws `StoreBusyError` where as many of this owner's wait as may, and
   * `StoreUnavailableError` where it has waited too long.
   */
  run<Result>(owner: string, start: () => Promise<Result>): Promise<Result>
}

/** A line in which few run at a time and owners take turns, so that nobody waits for all that another has asked. */
export function createLane({
  maxWaiting,
  maxWaitMs,
  atOnce = 1,
  elapsed = () => performance.now(),
}: LaneOptions): Lane {
  // Owners in the order of their turns; each has at least one waiting.
  const lines = new Map<string, (() => void)[]>()
  let running = 0

  function next(): void {
    const [first] = lines
    if (running === atOnce || !first) return
    const [owner, line] = first
    lines.delete(owner)
    const start = line.shift()
    if (line.length > 0) lines.set(owner, line)
    running++
    start?.()
  }

  return {
    get waiting() {
      return [...lines.values()].reduce((sum, { length }) => sum + length, 0)
    },
    async run(owner, start) {
      const line = lines.get(owner) ?? []
      if (line.length >= maxWaiting) throw new StoreBusyError('Too many reads of this organization wait.')
      const { promise: turn, resolve } = Promise.withResolvers<void>()
      const since = elapsed()
      line.push(resolve)
      lines.set(owner, line)
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
