import { createFairQueue } from '../store/fairQueue.ts'
import type { AppContext, Middleware } from './appEnv.ts'
import { defaultMaxBytes, hasBody } from './body.ts'

const mebibyte = 1024 * 1024

/**
 * Returns middleware that bounds the memory of large bodies, of at most `maxBytes`. A body of more than 32 KiB stays unread
 * until there is room for its declared length, or for `maxBytes` without one. It keeps its room until the request is answered,
 * because a parsed body stays in memory while the request waits for the store.
 */
export function createLargeBodies(): (maxBytes: number) => Middleware {
  const bytes = createFairQueue({
    name: 'large bodies',
    // In memory at the same time, of all organizations and of one.
    maxConcurrent: 32 * mebibyte,
    maxConcurrentPerOwner: 16 * mebibyte,
    // Requests with their bodies unread.
    maxWaitingOfAll: 256,
    maxWaiting: 64,
  })
  return maxBytes => (c, next) => {
    const size = declaredBytes(c) ?? maxBytes
    if (size <= defaultMaxBytes) return next()
    const { owner, deadline } = c.get('requestContext')
    return bytes.run(owner, deadline, next, size)
  }
}

/** The length that the headers declare; `undefined` for a body in chunks. */
function declaredBytes(c: AppContext): number | undefined {
  const declared = c.req.header('content-length')
  if (declared !== undefined) return Number(declared)
  return hasBody(c) ? undefined : 0
}
