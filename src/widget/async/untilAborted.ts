/** Resolves when the signal aborts. */
export const untilAborted = (abortSignal: AbortSignal): Promise<void> =>
  new Promise(resolve => abortSignal.addEventListener('abort', () => resolve()))
