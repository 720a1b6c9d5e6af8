import { batch } from '@preact/signals-core'

/**
 * Changes signals in one batch. What a subscriber throws (an error while rendering) is reported to the page and does not
 * reach the caller: it must neither stop the outbox nor look like a lost connection.
 */
export function updateState(change: () => void): void {
  try {
    batch(change)
  } catch (error) {
    reportError(error)
  }
}
