import type { Context } from 'hono'
import type { Clock } from '../clock.ts'
import type { AppContext } from '../http/appEnv.ts'
import type { Connection } from '../http/connection.ts'
import { type Metrics, metricsType } from '../http/metrics.ts'
import { noSuchPath, stopping, unavailable } from '../http/problems.ts'
import type { Store } from '../store/store.ts'
import { type DocumentRoutes, documentRoutes } from './documents.ts'
import type { MetricsAccess } from './metricsAccess.ts'
import type { ReadBuiltFile } from './readBuiltFile.ts'
import { createStreamCheck } from './streamCheck.ts'

export interface OperationOptions {
  store: Store
  clock: Clock
  metrics: Metrics
  metricsAccess: MetricsAccess
  /** Whether the platform is stopping. */
  isClosing: () => boolean
  /** Reads the documentation. */
  readBuiltFile: ReadBuiltFile
  version: string
}

/** Endpoints for operators. */
export interface OperationRoutes extends DocumentRoutes {
  /** Liveness: the process runs. */
  health(c: Context): Response
  /** Readiness: the platform can serve requests. */
  ready(c: Context): Promise<Response>
  /** A stream without a session, for `natter doctor`. */
  streamCheck(c: AppContext): Response
  /** `isLocal`: whether a request comes from this machine or a trusted proxy itself. */
  metrics(c: AppContext, isLocal: (connection: Connection) => boolean): Promise<Response>
}

/** A readiness check must answer quickly. */
const readyWithinMs = 1_000

export function operationRoutes(options: OperationOptions): OperationRoutes {
  const { store, clock, metrics, metricsAccess, isClosing, readBuiltFile, version } = options
  const well = { data: { status: 'ok', version } }
  return {
    health: c => c.json(well),
    async ready(c) {
      if (isClosing()) throw stopping()
      const { promise, reject } = Promise.withResolvers<never>()
      const stop = clock.setTimeout(
        () => reject(unavailable('The store has not answered the readiness check in time.')),
        readyWithinMs,
      )
      await Promise.race([store.ping(), promise]).finally(stop)
      return c.json(well)
    },
    streamCheck: createStreamCheck(clock),
    async metrics(c, isLocal) {
      if (metricsAccess === 'off' || (metricsAccess === 'local' && !isLocal(c.env))) throw noSuchPath()
      return c.body(await metrics.text(), 200, { 'content-type': metricsType })
    },
    ...documentRoutes(version, readBuiltFile),
  }
}
