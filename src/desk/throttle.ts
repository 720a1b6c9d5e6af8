/** Runs an action at most once in a time. Requests during the pause are merged into one run at its end. */
export interface Throttle {
  request(): void
  cancel(): void
}

export function createThrottle(pauseMs: number, run: () => unknown): Throttle {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRequested = false
  function start() {
    isRequested = false
    timer = setTimeout(() => {
      timer = undefined
      if (isRequested) start()
    }, pauseMs)
    run()
  }
  return {
    request() {
      if (timer === undefined) start()
      else isRequested = true
    },
    cancel() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
