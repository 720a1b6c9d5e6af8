/**
 * The latest plausible due time. A row that is due later was written before the clock was set back. It counts as due
 * now: otherwise it would wait until the clock reaches that time again.
 */
export const maxFutureTime = (now: string, longestMs: number): string =>
  new Date(Date.parse(now) + longestMs).toISOString()
