import type { Logger } from 'pino'
import { StoreUnavailableError } from './store/store.ts'

/** Logs errors of background work. An outage of the store is logged once at its start and once at its end. */
export function createBackgroundErrors(logger: Logger) {
  const calls = new Set<object>()
  /** The calls that have not succeeded since the last error. */
  const awaited = new Set<object>()
  let isClosed = false

  const onError = (error: unknown): void => {
    if (isClosed) return
    if (error instanceof StoreUnavailableError) {
      if (awaited.size === 0)
        logger.error({ reason: error.message }, 'the store does not answer: requests that need it get 503')
      for (const call of calls) awaited.add(call)
    } else logger.error({ err: error }, 'background work failed')
  }

  return {
    onError,
    /** Logs no more errors: from now on the store may be gone while some work still runs. */
    close(): void {
      isClosed = true
    },
    /**
     * Wraps a call of the store that is repeated. An outage is over when every such call has succeeded since the last error:
     * one that only reads also succeeds while the disk is full.
     */
    watch(call: () => Promise<unknown>): () => Promise<void> {
      calls.add(call)
      return async () => {
        try {
          await call()
          if (awaited.delete(call) && awaited.size === 0) logger.info('the store answers again')
        } catch (error) {
          onError(error)
        }
      }
    },
  }
}
