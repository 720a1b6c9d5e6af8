import type { Clock } from '../clock.ts'

/** Calls a function at once, and then at most once in an interval, however often that is requested. */
export interface Throttle {
  request(): void
  /** Drops a request that waits. */
  cancel(): void
}

export function createThrottle(clock: Pick<Clock, 'setTimeout'>, everyMs: number, run: () => void): Throttle {
  let isRequested = false
  let cancelTimer: (() => void) | undefined
  const call = (): void => {
    isRequested = false
    cancelTimer = clock.setTimeout(() => {
      cancelTimer = undefined
      if (isRequested) call()
    }, everyMs)
    run()
  }
  return {
    request() {
      if (cancelTimer) isRequested = true
      else call()
    },
    cancel() {
      cancelTimer?.()
      cancelTimer = undefined
      isRequested = false
    },
  }
}
