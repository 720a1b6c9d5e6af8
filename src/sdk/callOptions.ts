/** What every call takes beside its own arguments. */
export interface CallOptions {
  /**
   * Aborting it ends the call, its waiting and its tries; the promise rejects with the signal's reason. What the
   * platform has received by then may still take effect. `AbortSignal.timeout(ms)` bounds the whole call, tries included.
   */
  signal?: AbortSignal | undefined
  /** In place of the client's. */
  timeoutMs?: number | undefined
}

/** What calls take that would have another effect when they are made twice. */
export interface IdempotentOptions extends CallOptions {
  /**
   * Makes calls with the same key and the same arguments have one effect within 24 hours, whoever makes them; with other
   * arguments it is `idempotency_key_reused`. Default: a random one for each call, the same in all of its tries.
   */
  idempotencyKey?: string | undefined
}

// Timers of more milliseconds fire at once.
const longestMs = 2 ** 31 - 1

/** Returns the timeout, or throws where no timer can keep it. */
export function checkTimeoutMs(timeoutMs: unknown): number {
  if (typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= longestMs) return timeoutMs
  throw new TypeError(`timeoutMs must be a number of milliseconds from 1 to ${longestMs}`)
}

/** Returns the key, or throws where no header can carry it. */
export function checkIdempotencyKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters without spaces')
}
