import { type Deadline, msUntil } from './callContext.ts'
import { StoreUnavailableError } from './store.ts'

export interface FairQueueOptions {
  /** What waits in it, in the plural, for the messages of its errors. */
  name: string
  /** The most calls of one owner that can wait. */
  maxWaiting: number
  /** The most calls of all owners that can wait; default: any number. */
  maxWaitingOfAll?: number
  /** The most calls that run at the same time; default 1. If calls have sizes, the sum of the sizes. */
  maxConcurrent?: number
  /** The most of them that can belong to one owner; default: all. */
  maxConcurrentPerOwner?: number
  /** The error of a call that finds the queue full; default `StoreUnavailableError`. */
  FullError?: new (
    message: string,
  ) => Error
}

interface WaitingCall {
  size: number
  deadline: Deadline
  begin(): void
  reject(error: Error): void
}

/**
 * A bounded queue that serves owners in rotation, so that the calls of one owner cannot block those of others. When it is
 * full, a call of an owner with fewer waiting calls replaces the last one of the owner with the most.
 */
export function createFairQueue({
  name,
  maxWaiting,
  maxWaitingOfAll = Number.POSITIVE_INFINITY,
  maxConcurrent = 1,
  maxConcurrentPerOwner = maxConcurrent,
  FullError = StoreUnavailableError,
}: FairQueueOptions) {
  // Owners in the order in which they are served next, each with at least one waiting call.
  const waitingByOwner = new Map<string, Set<WaitingCall>>()
  const runningByOwner = new Map<string, number>()
  let waiting = 0
  let running = 0

  const full = (): Error => new FullError(`Too many ${name} are waiting.`)
  const late = (): Error =>
    new StoreUnavailableError(`The deadline passed before there was room: other ${name} came first.`)
  // A call that runs alone may be larger than the limit.
  const fits = (used: number, size: number, limit: number): boolean => used === 0 || used + size <= limit
  const ownerHasRoom = (owner: string, size: number): boolean =>
    fits(runningByOwner.get(owner) ?? 0, size, maxConcurrentPerOwner)

  function countRunning(owner: string, size: number): void {
    const count = (runningByOwner.get(owner) ?? 0) + size
    if (count > 0) runningByOwner.set(owner, count)
    else runningByOwner.delete(owner)
    running += size
  }

  function remove(owner: string, call: WaitingCall): void {
    const calls = waitingByOwner.get(owner)
    if (!calls?.delete(call)) return
    waiting--
    if (calls.size === 0) waitingByOwner.delete(owner)
  }

  /** Refuses the last call of the owner with the most waiting calls, unless `newcomer` would have as many. */
  function dropFromLongest(newcomer: string): void {
    const own = waitingByOwner.get(newcomer)?.size ?? 0
    const [owner, calls] = [...waitingByOwner].reduce((a, b) => (b[1].size > a[1].size ? b : a))
    const last = [...calls].at(-1)
    if (!last || calls.size <= own + 1) return
    remove(owner, last)
    last.reject(full())
  }

  /** Starts the next call; `false` if none can start. */
  function startNext(): boolean {
    for (const [owner, calls] of waitingByOwner) {
      const [call] = calls
      if (!call || !ownerHasRoom(owner, call.size)) continue
      // Smaller calls of others must not overtake it: a large call would never find room.
      if (!fits(running, call.size, maxConcurrent)) return false
      remove(owner, call)
      // The timer is late if this process was stopped.
      if (msUntil(call.deadline) < 0) {
        call.reject(late())
        return true
      }
      // Move the owner to the end: its next call waits until every other owner has been served.
      if (waitingByOwner.delete(owner)) waitingByOwner.set(owner, calls)
      countRunning(owner, call.size)
      call.begin()
      return true
    }
    return false
  }

  function startWaiting(): void {
    while (startNext());
  }

  async function waitForRoom(owner: string, deadline: Deadline, size: number): Promise<void> {
    const calls = waitingByOwner.get(owner) ?? new Set()
    if (calls.size >= maxWaiting) throw full()
    if (waiting >= maxWaitingOfAll && waiting > 0) dropFromLongest(owner)
    if (waiting >= maxWaitingOfAll) throw full()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const call = { size, deadline, begin: resolve, reject }
    waitingByOwner.set(owner, calls.add(call))
    waiting++
    const expire = (): void => {
      remove(owner, call)
      reject(late())
      // Calls behind this one may be able to start now.
      startWaiting()
    }
    const timer = setTimeout(expire, msUntil(deadline) + 1).unref()
    startWaiting()
    await promise.finally(() => clearTimeout(timer))
  }

  return {
    /** The number of waiting calls. */
    get waiting() {
      return waiting
    },
    /**
     * Runs a call as soon as there is room and every other owner has been served. A call with a `size` that is larger than
     * `maxConcurrent` runs alone. Throws `StoreUnavailableError` if the deadline passes before the call starts, and
     * a `FullError` if too many calls wait.
     */
    async run<Result>(owner: string, deadline: Deadline, start: () => Promise<Result>, size = 1): Promise<Result> {
      // Most calls find room at once and need no timer.
      if (waiting === 0 && fits(running, size, maxConcurrent) && ownerHasRoom(owner, size)) countRunning(owner, size)
      else await waitForRoom(owner, deadline, size)
      try {
        return await start()
      } finally {
        countRunning(owner, -size)
        startWaiting()
      }
    },
  }
}
