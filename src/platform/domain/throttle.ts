import type { Clock } from '../clock.ts'

/** Calls a function at the first request, and then at most once per interval, however often it is requested. */
export interface Throttle {
  request(): void
  /** Drops a waiting request. */
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
