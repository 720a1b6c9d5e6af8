import type { Middleware } from './context.ts'

/** Names the request, and sets the headers that every response carries. A client's own id is not taken over: it would be logged. */
export const requestId: Middleware = async (c, next) => {
  const id = crypto.randomUUID()
  c.set('requestId', id)
  await next()
  const { headers } = c.res
  headers.set('x-request-id', id)
  headers.set('x-content-type-options', 'nosniff')
  headers.set('referrer-policy', 'no-referrer')
  // Nothing here is a page: what a browser is made to show as one may load and embed nothing.
  headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
}
