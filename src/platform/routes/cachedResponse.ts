import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { Context } from 'hono'

/** A response with an ETag of its content; 304 without a body if the client has that content already. */
export function withEtag(
  c: Context,
  content: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Response {
  const etag = `"${createHash('sha256').update(content).digest('hex').slice(0, 32)}"`
  const known = (c.req.header('if-none-match') ?? '').split(',').map(tag => tag.trim().replace(/^W\//, ''))
  if (known.includes(etag) || known.includes('*')) {
    // A 304 has no body, so the headers that describe the body do not apply.
    const { 'content-type': _, 'content-encoding': __, ...kept } = headers
    return c.body(null, 304, { ...kept, etag })
  }
  return c.body(content, 200, { ...headers, etag })
}

const compress = promisify(brotliCompress)

/**
 * Creates a function that sends files with an ETag, and compressed with Brotli at its best quality to clients that accept it.
 * It keeps the compressed content of each path until the content changes.
 */
export function createSendFile() {
  const made = new Map<string, { content: Uint8Array; compressed: Promise<Uint8Array<ArrayBuffer>> }>()
  const compressedOf = (path: string, content: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> => {
    const found = made.get(path)
    if (found && Buffer.compare(found.content, content) === 0) return found.compressed
    const compressed = compress(content).then(bytes => new Uint8Array(bytes))
    made.set(path, { content, compressed })
    return compressed
  }
  return async (
    c: Context,
    path: string,
    content: Uint8Array<ArrayBuffer>,
    headers: Record<string, string>,
  ): Promise<Response> => {
    const varied = { ...headers, vary: 'Accept-Encoding' }
    if (!acceptsBrotli(c)) return withEtag(c, content, varied)
    return withEtag(c, await compressedOf(path, content), { ...varied, 'content-encoding': 'br' })
  }
}

/** Whether a client accepts Brotli; `br;q=0` means that it does not. */
const acceptsBrotli = (c: Context): boolean =>
  (c.req.header('accept-encoding') ?? '')
    .split(',')
    .some(coding => /^br(?:$|;)/.test(coding.trim()) && !/;\s*q=0(?:\.0*)?$/.test(coding.trim()))
