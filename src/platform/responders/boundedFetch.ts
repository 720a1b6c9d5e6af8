/** The limit of an error response, of which only the code is read. */
const maxRefusalBytes = 16 * 1024

/** Wraps `fetch` for a client that reads the whole body of an error response: it is truncated. */
export const createBoundedFetch =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    const { ok, status, statusText, headers, body } = response
    if (ok || !body) return response
    // Some servers send larger statuses, which `Response` rejects.
    return new Response(body.pipeThrough(truncateAt(maxRefusalBytes)), {
      status: Math.min(status, 599),
      statusText,
      headers,
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
