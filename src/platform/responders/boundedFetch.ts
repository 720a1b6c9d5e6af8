import { AnswerError } from './attempts.ts'

/** Ours: of a stream whose every piece is wrapped; how long the text itself may be is for the turn to say. */
const maxBytes = 1024 * 1024
/** A refusal is read for its code alone. */
const maxRefusalBytes = 16 * 1024

/**
 * `fetch` for a client that reads a body for as long as it comes: an answer breaks off with an `AnswerError` where it
 * grows too long, and of a refusal only the beginning is read.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const { ok, status, statusText, headers, body } = response
  if (!body) return response
  const bounded = body.pipeThrough(ok ? refusedBeyond(maxBytes) : cutAt(maxRefusalBytes))
  // Servers answer with greater ones too, with which no response can be made.
  return new Response(bounded, { status: Math.min(status, 599), statusText, headers })
}

// What is counted has been decompressed: a small body may be a large one.
function refusedBeyond(limit: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length
      if (size > limit) throw new AnswerError(`The answer is longer than ${limit / 1024} KiB`)
      controller.enqueue(chunk)
    },
  })
}

function cutAt(limit: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let left = limit
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) controller.terminate()
    },
  })
}
