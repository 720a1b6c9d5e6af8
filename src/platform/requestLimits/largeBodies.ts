import type { AppContext, Middleware } from '../middleware/appEnv.ts'
import { defaultMaxBytes, hasBody } from '../middleware/body.ts'
import { type BodyAdmissionOptions, createBodyAdmission } from './bodyAdmission.ts'

const mebibyte = 1024 * 1024

export interface LargeBodies {
  /** Lets a request with a large body, of at most `maxBytes`, continue when there is room for it. */
  admit(maxBytes: number): Middleware
}

/**
 * Bounds the memory that large bodies take. A body of more than 32 KiB stays unread until there is room for its declared
 * length. It keeps its room until the request is answered, because a parsed body stays in memory while the request waits
 * for the store. A body of unknown length reserves the maximum until it has arrived.
 */
export function createLargeBodies({ clock }: Pick<BodyAdmissionOptions, 'clock'>): LargeBodies {
  const admission = createBodyAdmission({
    clock,
    // Bytes in memory at the same time, of all organizations and of one.
    maxConcurrent: 32 * mebibyte,
    maxConcurrentPerOwner: 16 * mebibyte,
    // Requests with their bodies unread.
    maxWaitingOfAll: 256,
    maxWaiting: 64,
    name: 'large bodies',
    minKibibytesPerSecond: 256,
    rateWindowMs: 1_000,
    advice: 'Send it again, or in smaller parts.',
  })
  return {
    admit: maxBytes => (c, next) => {
      const declared = declaredBytes(c)
      if (declared !== undefined && declared <= defaultMaxBytes) return next()
      return admission.run(c, declared ?? maxBytes, next, bytes => bytes)
    },
  }
}

/** The length that the headers declare; `undefined` for a body in chunks. */
function declaredBytes(c: AppContext): number | undefined {
  const declared = c.req.header('content-length')
  if (declared !== undefined) return Number(declared)
  return hasBody(c) ? undefined : 0
}
