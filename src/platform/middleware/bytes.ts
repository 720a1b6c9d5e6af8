import { ProblemError, problem } from '../domain/problem.ts'
import { httpProblem } from './httpProblem.ts'
import type { IncomingRequest, RequestContext } from './requestContext.ts'

/** The bytes of a body, which stops being read at the limit: one whose length nobody has declared must not fill the memory. */
export const readBytes = (
  { request, connection }: RequestContext,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> =>
  // Straight from the connection: a web stream around it would cost as much as all the rest of a request.
  connection.incoming ? readIncoming(connection.incoming, maxBytes) : readStream(request, maxBytes)

export const tooLarge = (maxBytes: number): ProblemError =>
  // The rest of the body is not read, so the connection can't be used again.
  httpProblem('body_too_large', { connection: 'close' }, { detail: `Send at most ${maxBytes} bytes.` })

// Whoever hangs up in the middle is no failure of ours.
const brokenOff = (): ProblemError => problem('malformed_body', { detail: 'The body broke off.' })

function readIncoming(incoming: IncomingRequest, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const body = createCollector(maxBytes)
    incoming.on('data', chunk => {
      if (body.add(chunk)) return
      incoming.pause()
      reject(tooLarge(maxBytes))
    })
    incoming.on('end', () => resolve(body.bytes()))
    const breakOff = (): void => {
      // Every body ends with a close; an error for each would be made for nobody.
      if (!incoming.readableEnded) reject(brokenOff())
    }
    incoming.on('error', breakOff)
    incoming.on('close', breakOff)
    // Whoever hung up before this has been heard of already, and would be waited for for ever.
    if (incoming.destroyed) reject(brokenOff())
  })
}

async function readStream(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const body = createCollector(maxBytes)
  try {
    for await (const chunk of request.body ?? []) if (!body.add(chunk)) throw tooLarge(maxBytes)
  } catch (error) {
    throw error instanceof ProblemError ? error : brokenOff()
  }
  return body.bytes()
}

interface Collector {
  /** `false` where it would be too much. */
  add(chunk: Uint8Array): boolean
  bytes(): Uint8Array<ArrayBuffer>
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
