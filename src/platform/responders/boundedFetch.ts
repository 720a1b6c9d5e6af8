import { AnswerError } from './attempts.ts'

/** The limit of a raw stream. The turn limits the length of the text. */
const maxBytes = 1024 * 1024
/** The limit of an error response, of which only the code is read. */
const maxRefusalBytes = 16 * 1024

/**
 * Wraps `fetch` for a client that reads a whole body: a response that is too long fails with an `AnswerError`, and an
 * error response is truncated.
 */
export const createBoundedFetch =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    const { ok, status, statusText, headers, body } = response
    if (!body) return response
    const bounded = body.pipeThrough(ok ? failBeyond(maxBytes) : truncateAt(maxRefusalBytes))
    // Some servers send larger statuses, which `Response` rejects.
    return new Response(bounded, { status: Math.min(status, 599), statusText, headers })
  }

// Counts decompressed bytes: a small body may expand.
function failBeyond(limit: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length
      if (size > limit) throw new AnswerError(`The answer is longer than ${limit / 1024} KiB`)
      controller.enqueue(chunk)
    },
  })
}

function truncateAt(limit: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let left = limit
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) controller.terminate()
    },
  })
}
