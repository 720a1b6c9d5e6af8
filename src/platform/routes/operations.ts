import type { Clock } from '../clock.ts'
import { type Metrics, metricsType } from '../middleware/metrics.ts'
import { noSuchPath, unavailable } from '../middleware/problems.ts'
import type { Connection, HttpResponse } from '../middleware/requestContext.ts'
import type { Store } from '../store/store.ts'
import { type DocumentRoutes, documentRoutes } from './documents.ts'
import { jsonResponse } from './jsonResponse.ts'

/** Who can read the metrics: this machine and trusted proxies themselves, everybody, or nobody. */
export type MetricsAccess = 'local' | 'all' | 'off'

export interface OperationOptions {
  store: Store
  clock: Clock
  metrics: Metrics
  metricsAccess: MetricsAccess
  /** Whether the platform is stopping. */
  isClosing: () => boolean
  version: string
}

/** Endpoints for operators. */
export interface OperationRoutes extends DocumentRoutes {
  /** Liveness: the process runs. */
  health(): HttpResponse
  /** Readiness: the platform can serve requests. */
  ready(): Promise<HttpResponse>
  metrics(connection: Connection, isLocal: (connection: Connection) => boolean): Promise<HttpResponse>
}

/** Ours: a readiness check must answer quickly. */
const readyWithinMs = 1_000

export function operationRoutes(options: OperationOptions): OperationRoutes {
  const { store, clock, metrics, metricsAccess, isClosing, version } = options
  const well = jsonResponse(200, { data: { status: 'ok', version } })
  return {
    health: () => well,
    async ready() {
      if (isClosing()) throw unavailable()
      const { promise, reject } = Promise.withResolvers<never>()
      const stop = clock.setTimeout(() => reject(unavailable()), readyWithinMs)
      await Promise.race([store.ping(), promise]).finally(stop)
      return well
    },
    async metrics(connection, isLocal) {
      if (metricsAccess === 'off' || (metricsAccess === 'local' && !isLocal(connection))) throw noSuchPath()
      return { status: 200, headers: { 'content-type': metricsType }, body: await metrics.text() }
    },
    ...documentRoutes(version),
  }
}
