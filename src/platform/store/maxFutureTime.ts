/**
 * The latest time that something may be put off to. What seems to be put off for longer was written before the clock was
 * set back, and must not wait until the clock is there again.
 */
export const maxFutureTime = (now: string, longestMs: number): string =>
  new Date(Date.parse(now) + longestMs).toISOString()
