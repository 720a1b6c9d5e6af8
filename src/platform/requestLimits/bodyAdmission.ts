import type { Clock } from '../clock.ts'
import type { AppContext } from '../middleware/appEnv.ts'
import type { BodyObserver } from '../middleware/bodyObserver.ts'
import { httpProblem } from '../middleware/httpProblem.ts'
import { createFairQueue, type FairQueueOptions, type Resize } from '../store/fairQueue.ts'
import { requestDeadlineOf } from './requestDeadline.ts'

export interface BodyAdmissionOptions extends Omit<FairQueueOptions, 'now'> {
  clock: Pick<Clock, 'elapsed' | 'setTimeout'>
  /** A body that other requests wait for must arrive at this rate at least. */
  minKibibytesPerSecond: number
  /** How often, and over which time, the rate is measured. */
  rateWindowMs: number
  /** What the sender of a body that is too slow can do. */
  advice: string
}

/** Lets requests with bodies that take room continue when there is room for them. */
export interface BodyAdmission {
  /**
   * Runs the rest of a request when there is room of this size, which it keeps until the request is answered. `sizeOf`: the
   * size once the whole body has arrived, if it differs.
   */
  run(c: AppContext, size: number, next: () => Promise<void>, sizeOf?: (bytes: number) => number): Promise<void>
}

/** A body that has room and is still being received. */
interface IncomingBody {
  owner: string
  received: number
  /** When the current measurement of its rate began, and how much had been received by then. */
  measured: { since: number; received: number }
  stop(error: Error): void
}

/** A wait for room in memory that is no reason for a body to arrive late. */
const shortWaitMs = 100

/**
 * Bodies without room stay unread, so that the network holds them back. A slow sender would keep room that it does not use.
 * So while other requests wait for that room, a body that arrives too slowly is refused with 408.
 */
export function createBodyAdmission(options: BodyAdmissionOptions): BodyAdmission {
  const { clock, minKibibytesPerSecond, rateWindowMs, advice } = options
  const queue = createFairQueue(options)
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
      const isSlow = (body.received - received) * 1000 < minKibibytesPerSecond * 1024 * (now - since)
      if (isSlow && queue.isBlockedBy(body.owner)) body.stop(tooSlow())
      else startMeasurement(body)
    }
    measureLater()
  }

  const tooSlow = () =>
    httpProblem(
      'request_timeout',
      { connection: 'close' },
      {
        detail: `Other requests waited for this body, which arrived at less than ${minKibibytesPerSecond} KiB a second. ${advice}`,
      },
    )

  function observe(
    owner: string,
    wasHeldBack: boolean,
    onArrived: (bytes: number) => void,
  ): { observer: BodyObserver; end(): void } {
    let body: IncomingBody | undefined
    const end = (): void => void (body && incoming.delete(body))
    const observer: BodyObserver = {
      wasHeldBack,
      onStart(stop) {
        body = { owner, received: 0, measured: { since: clock.elapsed(), received: 0 }, stop }
        incoming.add(body)
      },
      onBytes(count) {
        if (body) body.received += count
      },
      onEnd(bytes) {
        end()
        onArrived(bytes)
      },
    }
    return { observer, end }
  }

  return {
    run(c, size, next, sizeOf = () => size) {
      const { owner } = c.get('requestContext')
      const askedAt = clock.elapsed()
      const receive = async (resize: Resize): Promise<void> => {
        const wasHeldBack = clock.elapsed() - askedAt > shortWaitMs
        const { observer, end } = observe(owner, wasHeldBack, bytes => resize(sizeOf(bytes)))
        c.set('bodyObserver', observer)
        try {
          await next()
        } finally {
          end()
        }
      }
      const admitted = queue.run(owner, requestDeadlineOf(c), receive, size)
      if (queue.waiting > 0 && !isMeasuring) {
        for (const body of incoming) startMeasurement(body)
        measureLater()
      }
      return admitted
    },
  }
}
