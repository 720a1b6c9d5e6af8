import { ProblemError, problem } from '../domain/problem.ts'
import type { AppContext } from './appEnv.ts'
import type { IncomingRequest } from './connection.ts'
import { httpProblem } from './httpProblem.ts'

/** Reads a body up to the limit: one without a declared length must not fill the memory. */
export const readBytes = ({ env, req }: AppContext, maxBytes: number): Promise<Buffer<ArrayBuffer>> =>
  // Not Hono's `bodyLimit`: it takes the body's web stream, even of a GET, which costs a sixth of the throughput.
  env.incoming ? readIncoming(env.incoming, maxBytes) : readStream(req.raw, maxBytes)

export const tooLarge = (maxBytes: number): ProblemError =>
  // The rest of the body is not read, so the connection cannot be reused.
  httpProblem('body_too_large', { connection: 'close' }, { detail: `Send at most ${maxBytes} bytes.` })

// A client that disconnects while sending is not an error of the server.
const brokenOff = (): ProblemError =>
  problem('malformed_body', { detail: 'The connection closed before the whole body arrived.' })

function readIncoming(incoming: IncomingRequest, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const body = createCollector(maxBytes)
    incoming.on('data', chunk => {
      if (body.add(chunk)) return
      incoming.pause()
      reject(tooLarge(maxBytes))
    })
    incoming.on('end', () => resolve(body.bytes()))
    const breakOff = (): void => {
      // Every request ends with `close`: do not create an error each time.
      if (!incoming.readableEnded) reject(brokenOff())
    }
    incoming.on('error', breakOff)
    incoming.on('close', breakOff)
    // If the client has disconnected before, its `close` event is over and this would wait forever.
    if (incoming.destroyed) reject(brokenOff())
  })
}

async function readStream(request: Request, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const body = createCollector(maxBytes)
  try {
    for await (const chunk of request.body ?? []) if (!body.add(chunk)) throw tooLarge(maxBytes)
  } catch (error) {
    throw error instanceof ProblemError ? error : brokenOff()
  }
  return body.bytes()
}

interface Collector {
  /** Returns `false` if the limit is exceeded. */
  add(chunk: Uint8Array): boolean
  bytes(): Buffer<ArrayBuffer>
}

function createCollector(maxBytes: number): Collector {
  const chunks: Uint8Array[] = []
  let length = 0
  return {
    add(chunk) {
      length += chunk.length
      if (length > maxBytes) return false
      chunks.push(chunk)
      return true
    },
    bytes: () => Buffer.concat(chunks, length),
  }
}
