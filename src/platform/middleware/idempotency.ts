import type { Outcome } from '../domain/idempotency.ts'
import { problem } from '../domain/problem.ts'
import type { Middleware, RequestContext } from './requestContext.ts'

/** Reads the `Idempotency-Key` header of endpoints that accept one (decisions 1). */
export const readIdempotencyKey: Middleware = context => {
  const text = context.request.headers.get('idempotency-key')
  if (text !== null) context.idempotencyKey = parseIdempotencyKey(text)
}

/** Creates a request's `idempotently`, see `HandlerContext`. */
export const createIdempotently =
  ({ idempotencyKey, headers }: RequestContext) =>
  async <Value>(run: (key: string | undefined) => Promise<Outcome<Value>>): Promise<Value> => {
    const { value, replayed } = await run(idempotencyKey)
    if (replayed) headers['idempotent-replayed'] = 'true'
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
