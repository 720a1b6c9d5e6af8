import type { Clock } from '../clock.ts'
import { ProblemError, problem } from '../domain/problem.ts'
import type { AppContext } from './appEnv.ts'
import type { IncomingRequest } from './connection.ts'
import { unavailable } from './problems.ts'

/**
 * Reads a body. Throws `body_too_large` as soon as it exceeds `maxBytes`, so that one without a declared length cannot
 * fill the memory; `request_timeout` if it has not arrived by the request's deadline; `malformed_body` if the client
 * disconnects before its end.
 */
export async function readBytes(
  c: AppContext,
  maxBytes: number,
  clock: Pick<Clock, 'setTimeout'>,
): Promise<Buffer<ArrayBuffer>> {
  const { incoming } = c.env
  const body = createCollector(maxBytes)
  // Not Hono's `bodyLimit`: it takes the body's web stream, even of a GET, which costs a sixth of the throughput.
  const read = () => (incoming ? readIncoming(incoming, body) : readStream(c.req.raw, body))
  // A small body arrives together with its headers and needs no timer.
  return incoming?.complete ? read() : readInTime(c, read, clock)
}

async function readInTime<Result>(
  c: AppContext,
  read: () => Promise<Result>,
  clock: Pick<Clock, 'setTimeout'>,
): Promise<Result> {
  const { remainingMs } = c.get('requestContext')
  const ms = remainingMs()
  // The time was lost before the reading began, so that is not the client's fault.
  if (ms <= 0) throw unavailable('The deadline of the request passed before its body was read.')
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const cancelTimer = clock.setTimeout(() => {
    c.env.incoming?.pause()
    reject(tooLate(c))
  }, ms)
  try {
    return await Promise.race([read(), stopped])
  } finally {
    cancelTimer()
  }
}

export const tooLarge = (maxBytes: number): ProblemError =>
  // The rest of the body is not read, so the connection cannot be reused.
  problem('body_too_large', { detail: `Send at most ${maxBytes} bytes.`, headers: { connection: 'close' } })

/** The error of a body that has not arrived by the deadline. */
export function tooLate(c: AppContext): ProblemError {
  const seconds = c.get('requestContext').limitMs / 1000
  return problem('request_timeout', {
    detail: `Send the whole body within ${seconds} seconds of the headers.`,
    headers: { connection: 'close' },
  })
}

// A client that disconnects while sending is not an error of the server.
export const connectionLost = (): ProblemError =>
  problem('malformed_body', { detail: 'The connection closed before the whole body arrived.' })

function readIncoming(incoming: IncomingRequest, body: Collector): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    incoming.on('data', chunk => {
      if (body.add(chunk)) return
      incoming.pause()
      reject(tooLarge(body.maxBytes))
    })
    incoming.on('end', () => resolve(body.bytes()))
    const onClose = (): void => {
      // Every request ends with `close`: do not create an error each time.
      if (!incoming.readableEnded) reject(connectionLost())
    }
    incoming.on('error', onClose)
    incoming.on('close', onClose)
    // If the client has disconnected already, no `close` event follows, and the promise would never settle.
    if (incoming.destroyed) reject(connectionLost())
  })
}

async function readStream(request: Request, body: Collector): Promise<Buffer<ArrayBuffer>> {
  try {
    for await (const chunk of request.body ?? []) if (!body.add(chunk)) throw tooLarge(body.maxBytes)
  } catch (error) {
    throw error instanceof ProblemError ? error : connectionLost()
  }
  return body.bytes()
}

interface Collector {
  maxBytes: number
  /** Returns `false` if the limit is exceeded. */
  add(chunk: Uint8Array): boolean
  bytes(): Buffer<ArrayBuffer>
}

function createCollector(maxBytes: number): Collector {
  const chunks: Uint8Array[] = []
  let length = 0
  return {
    maxBytes,
    add(chunk) {
      length += chunk.length
      if (length > maxBytes) return false
      chunks.push(chunk)
      return true
    },
    bytes: () => Buffer.concat(chunks, length),
  }
}
