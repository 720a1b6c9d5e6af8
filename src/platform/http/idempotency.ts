import type { Context } from 'hono'
import type { IdempotencyKey } from '../domain/idempotency.ts'
import { problem } from '../domain/problem.ts'
import type { IdempotentResult } from '../store/store.ts'
import type { Middleware } from './appEnv.ts'

/** Reads the `Idempotency-Key` header of endpoints that accept one. */
export const readIdempotencyKey: Middleware = (c, next) => {
  const text = c.req.header('idempotency-key')
  const attempt = parseAttempt(c.req.header('idempotency-attempt'))
  if (text !== undefined) c.set('idempotencyKey', { value: parseIdempotencyKey(text), attempt })
  return next()
}

/** Runs an operation with the request's key. Sets `Idempotent-Replayed` if an earlier request has had the effect. */
export async function idempotently<Value>(
  c: Context,
  run: (key: IdempotencyKey | undefined) => Promise<IdempotentResult<Value>>,
): Promise<Value> {
  const { value, replayed } = await run(c.get('idempotencyKey') as IdempotencyKey | undefined)
  if (replayed) c.header('idempotent-replayed', 'true')
  return value
}

/** Parses the key: a quoted string, as in the IETF draft, or the bare characters that most clients send. */
export function parseIdempotencyKey(text: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text) ?? []
  const key = quoted?.replace(/\\(.)/g, '$1') ?? text
  // Two headers arrive joined by a comma and a space, which no key contains.
  if (/^[\x21-\x7e]{1,255}$/.test(key) && (quoted !== undefined || !text.startsWith('"'))) return key
  throw problem('invalid_request', {
    detail: 'Send one Idempotency-Key of 1 to 255 visible ASCII characters, in double quotes or without.',
  })
}

/** Parses the number of the client's attempt; 0 if it does not send one. */
function parseAttempt(text: string | undefined): number {
  if (text === undefined) return 0
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw problem('invalid_request', {
    detail: 'Send an Idempotency-Attempt that is a whole number from 1, of at most 15 digits.',
  })
}
