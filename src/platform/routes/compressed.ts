import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { Context } from 'hono'

const compress = promisify(brotliCompress)

/**
 * Creates a function that compresses files with Brotli at its best quality. It keeps the result for each path until the
 * content changes.
 */
export function createCompressor(): (
  path: string,
  content: Uint8Array<ArrayBuffer>,
) => Promise<Uint8Array<ArrayBuffer>> {
  const made = new Map<string, { content: Uint8Array; compressed: Promise<Uint8Array<ArrayBuffer>> }>()
  return (path, content) => {
    const found = made.get(path)
    if (found && Buffer.compare(found.content, content) === 0) return found.compressed
    const compressed = compress(content).then(bytes => new Uint8Array(bytes))
    made.set(path, { content, compressed })
    return compressed
  }
}

/** Whether a client accepts Brotli; `br;q=0` means that it does not. */
export const acceptsBrotli = (c: Context): boolean =>
  (c.req.header('accept-encoding') ?? '')
    .split(',')
    .some(coding => /^br(?:$|;)/.test(coding.trim()) && !/;\s*q=0(?:\.0*)?$/.test(coding.trim()))
