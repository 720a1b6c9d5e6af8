import { effect, type ReadonlySignal } from '@preact/signals-core'

/** Resolves when the condition is true or `signal` is aborted. */
export function untilTrue(condition: ReadonlySignal<boolean>, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    let stop = () => {}
    const end = () => {
      stop()
      signal.removeEventListener('abort', end)
      resolve()
    }
    if (condition.peek() || signal.aborted) return resolve()
    signal.addEventListener('abort', end)
    stop = effect(() => {
      // The effect runs before `stop` is assigned, so call `end` later.
      if (condition.value) queueMicrotask(end)
    })
  })
}
