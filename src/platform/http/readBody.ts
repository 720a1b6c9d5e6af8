import type { Clock } from '../clock.ts'
import { type ProblemError, problem } from '../domain/problem.ts'
import { msUntil } from '../store/callContext.ts'
import type { AppContext } from './appEnv.ts'
import { unavailable } from './problems.ts'

/** The largest body, unless the endpoint says otherwise. */
export const defaultMaxBytes = 32 * 1024
/** The largest total size of header names and values. */
export const maxHeaderBytes = 16 * 1024

/** Rejects requests whose headers, or whose declared length, are too large, before anything else is checked. */
export function limitSize({ env, req }: AppContext, maxBytes = defaultMaxBytes): void {
  const declared = req.header('content-length') ?? '0'
  // Node's parser has checked requests that came over a port.
  if (!env.incoming) {
    let size = 0
    for (const [name, value] of req.raw.headers) size += name.length + value.length
    if (size > maxHeaderBytes) throw problem('headers_too_large', { headers: { connection: 'close' } })
    if (!/^\d+$/.test(declared))
      throw problem('invalid_request', {
        detail: 'Send a Content-Length that is a whole number of bytes, or leave it out.',
      })
  }
  if (Number(declared) > maxBytes) throw tooLarge(maxBytes)
}

export function hasBody({ env: { incoming }, req }: AppContext): boolean {
  if (req.method === 'GET' || req.method === 'HEAD') return false
  if (!incoming) return req.raw.body !== null
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers
  return encoding !== undefined || (length !== undefined && length !== '0')
}

/** Reads a body. Throws the same errors as `readParts`. */
export async function readBytes(
  c: AppContext,
  maxBytes: number,
  clock: Pick<Clock, 'setTimeout'>,
): Promise<Buffer<ArrayBuffer>> {
  // The time was lost before the reading began, so that is not the client's fault.
  if (msUntil(c.get('requestContext').deadline) <= 0)
    throw unavailable('The deadline of the request passed before its body was read.')
  const parts: Uint8Array[] = []
  for await (const part of readParts(c, { maxBytes, clock })) parts.push(part)
  return Buffer.concat(parts)
}

export interface ReadOptions {
  maxBytes: number
  clock: Pick<Clock, 'setTimeout'>
  /** A body of which nothing arrives for so long is refused; default: only at the deadline. */
  silenceMs?: number
}

/**
 * Yields a body as it arrives, no faster than it is read. Throws `body_too_large` as soon as it exceeds `maxBytes`, so that
 * one without a declared length cannot fill the memory; `request_timeout` if it has not arrived by the request's deadline;
 * `malformed_body` if the client disconnects before its end.
 */
export async function* readParts(
  c: AppContext,
  { maxBytes, clock, silenceMs = Number.POSITIVE_INFINITY }: ReadOptions,
): AsyncGenerator<Uint8Array, void> {
  const context = c.get('requestContext')
  // Not Hono's `bodyLimit`: it takes the body's web stream, even of a GET, which costs a sixth of the throughput. With
  // `destroyOnReturn`, Node would close the connection after an error, before the response is sent.
  const body = c.env.incoming?.iterator?.({ destroyOnReturn: false }) ?? c.req.raw.body
  const source = body?.[Symbol.asyncIterator]()
  let received = 0
  while (source) {
    const leftMs = msUntil(context.deadline)
    const { promise: late, reject } = Promise.withResolvers<never>()
    const expire = () => reject(leftMs < silenceMs ? tooLate(c) : tooSilent(silenceMs))
    const cancelTimer = clock.setTimeout(expire, Math.max(0, Math.min(leftMs, silenceMs)))
    const next = source.next().catch(() => {
      // A client that disconnects while sending is not an error of the server.
      throw problem('malformed_body', { detail: 'The connection closed before the whole body arrived.' })
    })
    const { done, value } = await Promise.race([next, late]).finally(cancelTimer)
    if (done) return
    received += value.length
    if (received > maxBytes) throw tooLarge(maxBytes)
    yield value
  }
}

// The rest of the body is not read, so the connection cannot be reused.
const headers = { connection: 'close' }

const tooLarge = (maxBytes: number): ProblemError =>
  problem('body_too_large', { detail: `Send at most ${maxBytes} bytes.`, headers })

const tooLate = (c: AppContext): ProblemError => {
  const seconds = c.get('timeLimitMs') / 1000
  return problem('request_timeout', {
    detail: `Send the whole body within ${seconds} seconds of the headers.`,
    headers,
  })
}

const tooSilent = (silenceMs: number): ProblemError =>
  problem('request_timeout', {
    detail: `Nothing of the file arrived for ${silenceMs / 1000} seconds. Send it again.`,
    headers,
  })
