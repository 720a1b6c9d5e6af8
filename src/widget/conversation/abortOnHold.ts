import { effect, type ReadonlySignal } from '@preact/signals-core'

/**
 * Calls `run` with a signal that aborts when messages are put on hold, because somebody else may be signed in by now, or when
 * `abortSignal` does.
 */
export async function abortOnHold<Result>(
  isOnHold: ReadonlySignal<boolean>,
  abortSignal: AbortSignal,
  run: (abortSignal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const stop = () => controller.abort(0)
  const unsubscribe = effect(() => {
    if (isOnHold.value) stop()
  })
  abortSignal.addEventListener('abort', stop)
  if (abortSignal.aborted) stop()
  try {
    return await run(controller.signal)
  } finally {
    abortSignal.removeEventListener('abort', stop)
    unsubscribe()
  }
}
