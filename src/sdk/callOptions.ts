/** Options of every call. */
export interface CallOptions {
  /**
   * Aborts the call and its retries; the promise rejects with the signal's reason. A request that the platform has
   * received may still take effect. `AbortSignal.timeout(ms)` limits the whole call, including retries.
   */
  signal?: AbortSignal | undefined
  /** Overrides the client's `timeoutMs`. */
  timeoutMs?: number | undefined
  /** Overrides the client's `maxRetries`; 0 for a single attempt. */
  maxRetries?: number | undefined
}

/** Options of calls that are not idempotent by themselves. */
export interface IdempotentOptions extends CallOptions {
  /**
   * Calls with the same key and the same arguments have one effect within 24 hours, also across processes. With other
   * arguments they reject with `idempotency_key_reused`. Default: a random key per call, which its retries share.
   *
   * Each attempt has a number, which is taken from the clock. So the clocks of machines that use the same key must agree.
   * If one is behind, its call may reject with `attempt_superseded` and change nothing. Call again later.
   */
  idempotencyKey?: string | undefined
}

// Longer timers fire immediately.
const longestMs = 2 ** 31 - 1

/** Returns the timeout; throws if it is not a valid delay of a timer. */
export function checkTimeoutMs(timeoutMs: unknown): number {
  if (typeof timeoutMs === 'number' && timeoutMs >= 1 && timeoutMs <= longestMs) return timeoutMs
  throw new TypeError(`timeoutMs must be a number of milliseconds from 1 to ${longestMs}`)
}

/** Returns how often to retry; throws if it is not a whole number. */
export function checkMaxRetries(maxRetries: unknown): number {
  if (typeof maxRetries === 'number' && Number.isInteger(maxRetries) && maxRetries >= 0) return maxRetries
  throw new TypeError('maxRetries must be a whole number of at least 0')
}

/** Returns the key; throws if it is not a valid header value. */
export function checkIdempotencyKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters without spaces')
}

/** Returns the arguments of a search or a list; throws if one is unknown, since without its filter everything is found. */
export function checkArguments<Arguments extends object>(
  method: string,
  given: Arguments,
  names: (keyof Arguments & string)[],
): Arguments {
  const isKnown = (name: string): boolean => (names as string[]).includes(name)
  if (typeof given === 'object' && given !== null && Object.keys(given).every(isKnown)) return given
  throw new TypeError(`${method} takes an object with ${names.join(', ')}, such as { ${names[0]}: … }`)
}
