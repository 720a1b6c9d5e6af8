import { type Deadline, monotonicMs } from './deadline.ts'
import { StoreUnavailableError } from './store.ts'

export interface FairQueueOptions {
  /** How many calls of one owner can wait. */
  maxWaiting: number
  /** How many calls of all owners can wait; default: any number. */
  maxWaitingOfAll?: number
  /** How many calls run at the same time, default 1. */
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
   * Runs a call when it is its turn. A call whose deadline has passed by then does not run: it throws
   * `StoreUnavailableError`.
   */
  run<Result>(owner: string, deadline: Deadline, start: () => Promise<Result>): Promise<Result>
}

/** Longer timers fire at once. */
const longestTimerMs = 2 ** 31 - 1

interface WaitingCall {
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
  // In the order of their turns. Each owner has at least one waiting call.
  const waitingByOwner = new Map<string, WaitingCall[]>()
  const runningByOwner = new Map<string, number>()
  let waiting = 0
  let running = 0

  function countRunning(owner: string, change: 1 | -1): void {
    const count = (runningByOwner.get(owner) ?? 0) + change
    if (count > 0) runningByOwner.set(owner, count)
    else runningByOwner.delete(owner)
    running += change
  }

  /** Removes the calls whose deadline has passed: nobody waits for them, and they must not count as waiting. */
  function dropExpired(): void {
    const time = now()
    for (const [owner, calls] of waitingByOwner) {
      // All calls have the same time limit, so the first in is the first to expire.
      while (calls[0] && calls[0].deadline < time) {
        calls.shift()?.expire()
        waiting--
      }
      if (calls.length === 0) waitingByOwner.delete(owner)
    }
  }

  function next(): void {
    dropExpired()
    if (running >= atOnce) return
    const mayRun = ([owner]: [string, unknown]) => (runningByOwner.get(owner) ?? 0) < atOncePerOwner
    const [owner, calls] = [...waitingByOwner].find(mayRun) ?? []
    if (owner === undefined || !calls) return
    const call = calls.shift()
    waiting--
    // The owner's next call waits until every other owner has had a turn.
    waitingByOwner.delete(owner)
    if (calls.length > 0) waitingByOwner.set(owner, calls)
    countRunning(owner, 1)
    call?.begin()
  }

  function waitForTurn(owner: string, deadline: Deadline): Promise<void> {
    dropExpired()
    const calls = waitingByOwner.get(owner) ?? []
    if (calls.length >= maxWaiting || waiting >= maxWaitingOfAll) throw createFullError()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const expire = () => reject(new StoreUnavailableError('The call waited too long in the queue.'))
    // Also where no call ends meanwhile, which would look for expired ones.
    const timer = setTimeout(dropExpired, Math.min(deadline - now() + 1, longestTimerMs)).unref()
    const begin = () => {
      clearTimeout(timer)
      resolve()
    }
    calls.push({ deadline, begin, expire })
    waitingByOwner.set(owner, calls)
    waiting++
    next()
    return promise
  }

  return {
    get waiting() {
      return waiting
    },
    async run(owner, deadline, start) {
      await waitForTurn(owner, deadline)
      try {
        return await start()
      } finally {
        countRunning(owner, -1)
        next()
      }
    },
  }
}
