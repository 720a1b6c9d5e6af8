import { type Deadline, monotonicMs } from './deadline.ts'
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
  /**
   * The most of them that can belong to one owner; default: all. `fair`: at most as many as stay free, so that
   * newcomers find some. So an owner that is alone gets half of them, and each of two gets a third.
   */
  maxConcurrentPerOwner?: number | 'fair'
  /** The error of a call that finds the queue full; default `StoreUnavailableError`. */
  FullError?: new (
    message: string,
  ) => Error
  /** The clock of the deadlines. */
  now?: () => number
}

export interface FairQueue {
  /** The number of waiting calls. */
  readonly waiting: number
  /**
   * Runs a call as soon as there is room and every other owner has been served. `size`: default 1; a call that is larger
   * than `maxConcurrent` runs alone. Throws `StoreUnavailableError` if the deadline passes before the call starts, and
   * a `FullError` if too many calls wait.
   */
  run<Result>(
    owner: string,
    deadline: Deadline,
    start: (resize: Resize) => Promise<Result>,
    size?: number,
  ): Promise<Result>
  /** Whether a waiting call could start if the running calls of this owner ended. */
  isBlockedBy(owner: string): boolean
}

/** Changes the size of a running call, once it is known exactly. */
export type Resize = (size: number) => void

/** Longer timers fire at once. */
const longestTimerMs = 2 ** 31 - 1

interface WaitingCall {
  size: number
  deadline: Deadline
  begin(): void
  expire(): void
  refuse(): void
}

/**
 * A queue with limited concurrency that serves owners in rotation, so that the calls of one owner cannot block those of
 * others. When it is full, a call of an owner with fewer waiting calls replaces the last one of the owner with the most.
 */
export function createFairQueue({
  name,
  maxWaiting,
  maxWaitingOfAll = Number.POSITIVE_INFINITY,
  maxConcurrent = 1,
  maxConcurrentPerOwner = maxConcurrent,
  FullError = StoreUnavailableError,
  now = monotonicMs,
}: FairQueueOptions): FairQueue {
  // Owners in the order in which they are served next, each with at least one waiting call.
  const waitingByOwner = new Map<string, Set<WaitingCall>>()
  const runningByOwner = new Map<string, number>()
  let waiting = 0
  let running = 0

  const createFullError = (): Error => new FullError(`Too many ${name} are waiting.`)
  const runningOf = (owner: string): number => runningByOwner.get(owner) ?? 0
  /** The most that may belong to an owner; `released` is what will be free in addition. */
  const shareOfOwner = (released = 0): number =>
    maxConcurrentPerOwner === 'fair' ? maxConcurrent - running + released : maxConcurrentPerOwner
  // A call that runs alone may be larger than the limit.
  const fits = (used: number, size: number, limit: number): boolean => used === 0 || used + size <= limit

  function countRunning(owner: string, change: number): void {
    const count = runningOf(owner) + change
    if (count > 0) runningByOwner.set(owner, count)
    else runningByOwner.delete(owner)
    running += change
  }

  function remove(owner: string, call: WaitingCall): void {
    const calls = waitingByOwner.get(owner)
    if (!calls?.delete(call)) return
    waiting--
    if (calls.size === 0) waitingByOwner.delete(owner)
  }

  /** Rejects the calls whose deadline has passed: their callers have been answered. */
  function dropExpired(): void {
    const time = now()
    for (const [owner, calls] of waitingByOwner)
      for (const call of calls)
        if (call.deadline < time) {
          remove(owner, call)
          call.expire()
        }
  }

  /** Refuses the last call of the owner with the most waiting calls, unless `newcomer` would have as many. */
  function dropFromLongest(newcomer: string): void {
    const own = waitingByOwner.get(newcomer)?.size ?? 0
    const [owner, calls] = [...waitingByOwner].reduce((a, b) => (b[1].size > a[1].size ? b : a))
    const last = [...calls].at(-1)
    if (!last || calls.size <= own + 1) return
    remove(owner, last)
    last.refuse()
  }

  /** Starts the next call; `false` if none can start. */
  function startNext(): boolean {
    for (const [owner, calls] of waitingByOwner) {
      const [call] = calls
      if (!call || !fits(runningOf(owner), call.size, shareOfOwner())) continue
      // Smaller calls of others must not overtake it: a large call would never find room.
      if (!fits(running, call.size, maxConcurrent)) return false
      remove(owner, call)
      if (call.deadline < now()) {
        call.expire()
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

  function waitForRoom(owner: string, deadline: Deadline, size: number): Promise<void> {
    const isOwnerFull = (): boolean => (waitingByOwner.get(owner)?.size ?? 0) >= maxWaiting
    if (isOwnerFull() || waiting >= maxWaitingOfAll) dropExpired()
    if (isOwnerFull()) throw createFullError()
    if (waiting >= maxWaitingOfAll && waiting > 0) dropFromLongest(owner)
    if (waiting >= maxWaitingOfAll) throw createFullError()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const call: WaitingCall = {
      size,
      deadline,
      begin() {
        clearTimeout(timer)
        resolve()
      },
      expire() {
        clearTimeout(timer)
        reject(new StoreUnavailableError(`The deadline passed before there was room: other ${name} came first.`))
        // Calls behind this one may be able to start now.
        queueMicrotask(startWaiting)
      },
      refuse() {
        clearTimeout(timer)
        reject(createFullError())
      },
    }
    // Rejects the call on time. The end of another call drops it only when it would start next.
    const timer = setTimeout(dropExpired, Math.min(deadline - now() + 1, longestTimerMs)).unref()
    const calls = waitingByOwner.get(owner) ?? new Set()
    waitingByOwner.set(owner, calls.add(call))
    waiting++
    startWaiting()
    return promise
  }

  return {
    get waiting() {
      return waiting
    },
    isBlockedBy(owner) {
      if (waitingByOwner.has(owner)) return true
      // The first call whose owner has room in its own share waits for room in the whole.
      for (const [other, [call]] of waitingByOwner)
        if (call && fits(runningOf(other), call.size, shareOfOwner(runningOf(owner)))) return true
      return false
    },
    async run(owner, deadline, start, size = 1) {
      // Most calls find room at once and need no timer.
      if (waiting === 0 && fits(running, size, maxConcurrent) && fits(runningOf(owner), size, shareOfOwner()))
        countRunning(owner, size)
      else await waitForRoom(owner, deadline, size)
      let held = size
      const resize = (next: number): void => {
        countRunning(owner, next - held)
        held = next
        startWaiting()
      }
      try {
        return await start(resize)
      } finally {
        resize(0)
      }
    },
  }
}
