import type { Clock } from '../clock.ts'
import type { Connection } from '../http/connection.ts'
import { type Metrics, type MetricsAccess, metricsType } from '../http/metrics.ts'
import { noSuchPath, stopping, unavailable } from '../http/problems.ts'
import type { RateLimits } from '../http/rateLimit.ts'
import type { Store } from '../store/store.ts'
import { checkStream } from './events.ts'
import type { OtherRoutes } from './handler.ts'

export interface OperationOptions {
  store: Pick<Store, 'ping'>
  clock: Clock
  metrics: Metrics
  metricsAccess: MetricsAccess
  /** Whether a request comes from this machine or a trusted proxy itself. */
  isLocal: (connection: Connection) => boolean
  limits: Pick<RateLimits, 'lookUp'>
  /** Whether the platform is stopping. */
  isClosing: () => boolean
  version: string
}

/** A readiness check must answer quickly. */
const readyWithinMs = 1_000

/** Endpoints for operators. */
export function operationRoutes(options: OperationOptions): OtherRoutes {
  const { store, clock, metrics, metricsAccess, isLocal, limits, isClosing, version } = options
  const well = { data: { status: 'ok', version } }
  return {
    // Liveness: the process runs.
    '/healthz': c => c.json(well),
    // Readiness: the platform can serve requests.
    '/readyz': async c => {
      if (isClosing()) throw stopping()
      const { promise, reject } = Promise.withResolvers<never>()
      const stop = clock.setTimeout(
        () => reject(unavailable('The store has not answered the readiness check in time.')),
        readyWithinMs,
      )
      await Promise.race([store.ping(), promise]).finally(stop)
      return c.json(well)
    },
    // A stream without a session, for `natter doctor`.
    '/v1/stream-check': async c => {
      await limits.lookUp(c, false, async () => {})
      return checkStream(c, clock)
    },
    '/metrics': async c => {
      if (metricsAccess === 'off' || (metricsAccess === 'local' && !isLocal(c.env))) throw noSuchPath()
      return c.body(await metrics.text(), 200, { 'content-type': metricsType })
    },
  }
}
