/** Resolves when the signal aborts, and at once if it has aborted. */
export const untilAborted = (abortSignal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (abortSignal.aborted) resolve()
    else abortSignal.addEventListener('abort', () => resolve())
  })
