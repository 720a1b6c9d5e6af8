import type { SigningSecrets } from '../../contract/bots.ts'

/**
 * The code of a network error that made `fetch` fail; `undefined` for other errors. The error's message is not used: it
 * may contain the address, and that a secret.
 */
export function networkFailure(error: unknown): string | undefined {
  let inner = error
  for (let depth = 0; inner instanceof Error && depth < 4; depth++) {
    // An invalid address is not a network error.
    if ('code' in inner && typeof inner.code === 'string' && !inner.code.startsWith('ERR_INVALID')) return inner.code
    inner = inner.cause
  }
  return undefined
}

/** The secrets to sign with: also the former one for some time, so that the receiver can switch without a gap. */
export const secretsAt = ({ secret, former }: SigningSecrets, now: number): string[] =>
  former && now < Date.parse(former.until) ? [secret, former.secret] : [secret]

/** The time of `Retry-After` (seconds or a date) in milliseconds; 0 without one. */
export function retryAfterMs(headers: Headers, now: number): number {
  const text = headers.get('retry-after') ?? ''
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? 0 : Math.max(0, ms)
}

/** The pause after a failed attempt: doubled each time, with jitter, so that clients do not retry in step. */
export const exponentialBackoff = (attempt: number, firstMs: number, longestMs: number): number =>
  Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 30)) * (0.5 + Math.random() / 2)
