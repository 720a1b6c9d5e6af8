import { type Deadline, monotonicMs } from './deadline.ts'
import { StoreUnavailableError } from './store.ts'

export interface FairQueueOptions {
  /** How many calls of one owner can wait. */
  maxWaiting: number
  /** How many calls of all owners can wait; default: any number. */
  maxWaitingOfAll?: number
  /** How many calls run at the same time, default 1. Where calls have a size, the sum of the sizes. */
  atOnce?: number
  /** How many of them can be one owner's; default: all. */
  atOncePerOwner?: number
  /** Creates the error of a call that finds the queue full. */
  createFullError: () => Error
  /** The clock of the deadlines. */
  now?: () => number
}

export interface FairQueue {
  /** How many calls wait. */
  readonly waiting: number
  /**
   * Runs a call when it is its turn, or throws `StoreUnavailableError` if its deadline passes before. A call that is
   * larger than `atOnce` runs alone. `size`: default 1.
   */
  run<Result>(owner: string, deadline: Deadline, start: () => Promise<Result>, size?: number): Promise<Result>
}

/** Longer timers fire at once. */
const longestTimerMs = 2 ** 31 - 1

interface WaitingCall {
  size: number
  deadline: Deadline
  begin(): void
  expire(): void
}

/** A queue with limited concurrency in which owners take turns, so that one owner's calls cannot block the others. */
export function createFairQueue({
  maxWaiting,
  maxWaitingOfAll = Number.POSITIVE_INFINITY,
  atOnce = 1,
  atOncePerOwner = atOnce,
  createFullError,
  now = monotonicMs,
}: FairQueueOptions): FairQueue {
  // Owners in the order of their turns, each with at least one waiting call.
  const waitingByOwner = new Map<string, Set<WaitingCall>>()
  const runningByOwner = new Map<string, number>()
  let waiting = 0
  let running = 0

  const runningOf = (owner: string): number => runningByOwner.get(owner) ?? 0
  // What runs alone may be larger than the limit.
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

  /** Rejects the calls whose deadline has passed: nobody waits for them. */
  function dropExpired(): void {
    const time = now()
    for (const [owner, calls] of waitingByOwner)
      for (const call of calls)
        if (call.deadline < time) {
          remove(owner, call)
          call.expire()
        }
  }

  /** Starts the next call; `false` if none can start. */
  function startNext(): boolean {
    for (const [owner, calls] of waitingByOwner) {
      const [call] = calls
      if (!call || !fits(runningOf(owner), call.size, atOncePerOwner)) continue
      // Smaller calls of others must not overtake it: it would never find room.
      if (!fits(running, call.size, atOnce)) return false
      remove(owner, call)
      if (call.deadline < now()) {
        call.expire()
        return true
      }
      // The owner's next call waits until every other owner has had a turn.
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

  function waitForTurn(owner: string, deadline: Deadline, size: number): Promise<void> {
    const isFull = (): boolean => waiting >= maxWaitingOfAll || (waitingByOwner.get(owner)?.size ?? 0) >= maxWaiting
    if (isFull()) dropExpired()
    if (isFull()) throw createFullError()
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
        reject(new StoreUnavailableError('The call waited too long in the queue.'))
        // Calls behind it may have waited only for this one.
        queueMicrotask(startWaiting)
      },
    }
    // Also where no call ends meanwhile, which would look for expired ones.
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
    async run(owner, deadline, start, size = 1) {
      // Most calls find room: they need no timer.
      if (waiting === 0 && fits(running, size, atOnce) && fits(runningOf(owner), size, atOncePerOwner))
        countRunning(owner, size)
      else await waitForTurn(owner, deadline, size)
      try {
        return await start()
      } finally {
        countRunning(owner, -size)
        startWaiting()
      }
    },
  }
}
