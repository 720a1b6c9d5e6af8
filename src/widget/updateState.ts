import { batch, type Signal } from '@preact/signals-core'

/**
 * Changes signals in one batch. If a subscriber throws, for example while rendering, the error is reported to the page and
 * does not reach the caller: it must neither stop the outbox nor look like a lost connection.
 */
export function updateState(change: () => void): void {
  try {
    batch(change)
  } catch (error) {
    reportError(error)
  }
}

/** Sets one signal, like `updateState`. */
export const setState = <Value>(signal: Signal<Value>, value: Value): void =>
  updateState(() => {
    signal.value = value
  })
