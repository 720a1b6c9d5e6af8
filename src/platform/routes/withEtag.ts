import type { Context } from 'hono'

/** A response with an ETag of its content; 304 without a body if the client has that content already. */
export async function withEtag(
  c: Context,
  content: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Response> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const etag = `"${Array.from(digest.subarray(0, 16), byte => byte.toString(16).padStart(2, '0')).join('')}"`
  const known = (c.req.header('if-none-match') ?? '').split(',').map(tag => tag.trim().replace(/^W\//, ''))
  if (known.includes(etag) || known.includes('*')) {
    // A 304 has no body, so the headers that describe the body do not apply.
    const { 'content-type': _, 'content-encoding': __, ...kept } = headers
    return c.body(null, 304, { ...kept, etag })
  }
  return c.body(content, 200, { ...headers, etag })
}
