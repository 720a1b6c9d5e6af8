import { damaged } from './fileProblem.ts'

/** Reads a stream of bytes in the portions that a file format needs. Every method throws `damaged` if the file is too short. */
export type ByteReader = ReturnType<typeof createByteReader>

/**
 * The most portions of a file. Pictures have a few thousand. One of millions, each of a few bytes, would keep the platform
 * busy for seconds.
 */
const maxReads = 100_000

export function createByteReader(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]()
  let buffered: Buffer = Buffer.alloc(0)
  let reads = 0

  async function fill(count: number): Promise<void> {
    if (buffered.length >= count) return
    // Joined once: a large portion may arrive in very small chunks.
    const arrived = buffered.length === 0 ? [] : [buffered]
    for (let length = buffered.length; length < count; ) {
      const { done, value } = await chunks.next()
      if (done) break
      arrived.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
      length += value.byteLength
    }
    const [first] = arrived
    buffered = arrived.length === 1 && first ? first : Buffer.concat(arrived)
  }

  function take(count: number): Buffer {
    const taken = buffered.subarray(0, count)
    buffered = buffered.subarray(count)
    return taken
  }

  async function* pass(count: number): AsyncGenerator<Buffer, void> {
    for (let left = count; left > 0; ) {
      await fill(1)
      if (buffered.length === 0) throw damaged()
      const part = take(Math.min(left, buffered.length))
      left -= part.length
      yield part
    }
  }

  return {
    /** At least `count` bytes, and whatever else has arrived, without consuming them; fewer only at the end of the file. */
    async peek(count: number): Promise<Buffer> {
      await fill(count)
      return buffered
    },
    /** The next `count` bytes. Throws `damaged` if a file has more than `maxReads` portions. */
    async read(count: number): Promise<Buffer> {
      if (++reads > maxReads) throw damaged()
      await fill(count)
      if (buffered.length < count) throw damaged()
      return take(count)
    },
    /** Yields the next `count` bytes as they arrive. */
    pass,
  }
}
