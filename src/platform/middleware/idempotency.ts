import type { Context } from 'hono'
import type { Outcome } from '../domain/idempotency.ts'
import { problem } from '../domain/problem.ts'
import type { Middleware } from './appEnv.ts'

/** Reads the `Idempotency-Key` header of endpoints that accept one (decisions 1). */
export const readIdempotencyKey: Middleware = (c, next) => {
  const text = c.req.header('idempotency-key')
  if (text !== undefined) c.set('idempotencyKey', parseIdempotencyKey(text))
  return next()
}

/** Runs an effect with the request's key; sets `Idempotent-Replayed` if an earlier request had the effect. */
export async function idempotently<Value>(
  c: Context,
  run: (key: string | undefined) => Promise<Outcome<Value>>,
): Promise<Value> {
  const { value, replayed } = await run(c.get('idempotencyKey') as string | undefined)
  if (replayed) c.header('idempotent-replayed', 'true')
  return value
}

/** Parses the key: a quoted string, as in the IETF draft, or the bare characters, as most clients send it. */
export function parseIdempotencyKey(text: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text) ?? []
  const key = quoted?.replace(/\\(.)/g, '$1') ?? text
  // Two headers arrive joined by a comma and a space, which no key contains.
  if (/^[\x21-\x7e]{1,255}$/.test(key) && (quoted !== undefined || !text.startsWith('"'))) return key
  throw problem('invalid_request', {
    detail: 'Send one Idempotency-Key of 1 to 255 visible ASCII characters, in double quotes or without.',
  })
}
