import type { SigningSecrets } from '../../contract/bots.ts'
import { AddressRefusedError } from './egressPolicy.ts'

/**
 * The code of a network error that made `fetch` fail; `undefined` for other errors. The error's message is not used: it
 * may contain the address, and that a secret.
 */
export function networkFailure(error: unknown): string | undefined {
  // An invalid address is not a network error.
  const code = causesOf(error).flatMap(cause => ('code' in cause ? [cause.code] : []))
  return code.find(code => typeof code === 'string' && !code.startsWith('ERR_INVALID')) as string | undefined
}

/** Why `fetch` refused the address; `undefined` for other errors. */
export const addressRefusal = (error: unknown): AddressRefusedError | undefined =>
  causesOf(error).find(cause => cause instanceof AddressRefusedError)

/** An error and its causes, outermost first. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error && causes.length < 4; cause = cause.cause) causes.push(cause)
  return causes
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
