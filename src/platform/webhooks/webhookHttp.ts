import type { SigningSecrets } from '../../contract/bots.ts'

/**
 * Why the network made `fetch` fail, in one word: the error's own text may hold the address, and that a secret.
 * `undefined` where it was not the network.
 */
export function networkFailure(error: unknown): string | undefined {
  let inner = error
  for (let depth = 0; inner instanceof Error && depth < 4; depth++) {
    // An address that is none never gets as far as the network.
    if ('code' in inner && typeof inner.code === 'string' && !inner.code.startsWith('ERR_INVALID')) return inner.code
    inner = inner.cause
  }
  return undefined
}

/** The secrets that sign now: with both of them the receiver can go from the former to the present one without a gap. */
export const secretsAt = ({ secret, former }: SigningSecrets, now: number): string[] =>
  former && now < Date.parse(former.until) ? [secret, former.secret] : [secret]

/** How long `Retry-After` asks to wait, in seconds or until a date; 0 without one. */
export function retryAfterMs(headers: Headers, now: number): number {
  const text = headers.get('retry-after') ?? ''
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? 0 : Math.max(0, ms)
}

/** A pause before attempt `attempt + 1`: doubled each time, and jittered, so that those who failed together don't come back together. */
export const exponentialBackoff = (attempt: number, firstMs: number, longestMs: number): number =>
  Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 30)) * (0.5 + Math.random() / 2)
