import type { Clock } from './clock.ts'
import type { AppContext, Middleware } from './middleware/appEnv.ts'
import { defaultMaxBytes, hasBody } from './middleware/body.ts'
import type { BodyObserver } from './middleware/bodyObserver.ts'
import { httpProblem } from './middleware/httpProblem.ts'
import { deadlineOf } from './requestDeadline.ts'
import { createFairQueue, type Resize } from './store/fairQueue.ts'
import { StoreUnavailableError } from './store/store.ts'

const [kibibyte, mebibyte] = [1024, 1024 * 1024]
/** The bytes of large bodies that can be in memory at the same time, of all organizations and of one. */
const [maxBytesInMemory, maxBytesOfOrganization] = [32 * mebibyte, 16 * mebibyte]
/** The number of requests that can wait with their bodies unread, of all organizations and of one. */
const [maxWaiting, maxWaitingOfOrganization] = [256, 64]
/** A body that other requests wait for must arrive at this rate at least. */
const minBytesPerSecond = 256 * kibibyte
/** How often, and over which time, the rate is measured. */
const rateWindowMs = 1_000

export interface LargeBodiesOptions {
  clock: Pick<Clock, 'elapsed' | 'setTimeout'>
}

export interface LargeBodies {
  /** Lets a request with a large body, of at most `maxBytes`, continue when there is room for it. */
  admit(maxBytes: number): Middleware
}

/** A large body that has room and is still being received. */
interface IncomingBody {
  owner: string
  received: number
  /** When the current measurement of its rate began, and how much had been received by then. */
  measured: { since: number; received: number }
  stop(error: Error): void
}

/**
 * Bounds the memory that large bodies take. A body of more than 32 KiB stays unread, so that the network holds it back,
 * until there is room for its declared length. It keeps its room until the request is answered, because a parsed body
 * stays in memory while the request waits for the store.
 *
 * A slow sender would keep room that it does not use. So while other requests wait for that room, a body that arrives too
 * slowly is refused with 408. A body of unknown length reserves the maximum until it has arrived.
 */
export function createLargeBodies({ clock }: LargeBodiesOptions): LargeBodies {
  const queue = createFairQueue({
    maxWaiting: maxWaitingOfOrganization,
    maxWaitingOfAll: maxWaiting,
    atOnce: maxBytesInMemory,
    atOncePerOwner: maxBytesOfOrganization,
    createFullError: () => new StoreUnavailableError('Too many large requests are waiting.'),
  })
  const incoming = new Set<IncomingBody>()
  let isMeasuring = false

  const startMeasurement = (body: IncomingBody): void => {
    body.measured = { since: clock.elapsed(), received: body.received }
  }

  function measureLater(): void {
    isMeasuring = queue.waiting > 0
    if (isMeasuring) clock.setTimeout(measure, rateWindowMs)
  }

  function measure(): void {
    const now = clock.elapsed()
    for (const body of incoming) {
      const { since, received } = body.measured
      // The measurement of a body that has just begun to arrive would be too short.
      if (now - since < rateWindowMs) continue
      const isSlow = (body.received - received) * 1000 < minBytesPerSecond * (now - since)
      if (isSlow && queue.isBlockedBy(body.owner)) body.stop(tooSlow())
      else startMeasurement(body)
    }
    measureLater()
  }

  function observe(owner: string, resize: Resize): { observer: BodyObserver; end(): void } {
    let body: IncomingBody | undefined
    const end = (): void => void (body && incoming.delete(body))
    const observer: BodyObserver = {
      onStart(stop) {
        body = { owner, received: 0, measured: { since: clock.elapsed(), received: 0 }, stop }
        incoming.add(body)
      },
      onBytes(count) {
        if (body) body.received += count
      },
      onEnd(bytes) {
        end()
        resize(bytes)
      },
    }
    return { observer, end }
  }

  return {
    admit: maxBytes => async (c, next) => {
      const declared = declaredBytes(c)
      if (declared !== undefined && declared <= defaultMaxBytes) return next()
      const { owner } = c.get('requestContext')
      const admitted = queue.run(owner, deadlineOf(c), resize => receive(c, owner, resize, next), declared ?? maxBytes)
      if (queue.waiting > 0 && !isMeasuring) {
        for (const body of incoming) startMeasurement(body)
        measureLater()
      }
      return admitted
    },
  }

  async function receive(c: AppContext, owner: string, resize: Resize, next: () => Promise<void>): Promise<void> {
    const { observer, end } = observe(owner, resize)
    c.set('bodyObserver', observer)
    try {
      await next()
    } finally {
      end()
    }
  }
}

/** The length that the headers declare; `undefined` for a body in chunks. */
function declaredBytes(c: AppContext): number | undefined {
  const declared = c.req.header('content-length')
  if (declared !== undefined) return Number(declared)
  return hasBody(c) ? undefined : 0
}

const tooSlow = () =>
  httpProblem(
    'request_timeout',
    { connection: 'close' },
    {
      detail: `Other requests waited for this body, which arrived at less than ${minBytesPerSecond / kibibyte} KiB a second. Send it again, or in smaller parts.`,
    },
  )
