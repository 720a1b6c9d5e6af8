import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Bus } from '../bus/bus.ts'
import type { StoreOutcome } from '../store/store.ts'

/** The platform's metrics. Callers do not depend on Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>

/** Who can read the metrics: this machine and trusted proxies themselves, everybody, or nobody. */
export type MetricsAccess = 'local' | 'all' | 'off'

/** Values that are determined whenever the metrics are read. */
export interface Gauges {
  version: string
  openStreams: () => number
  queueDepth: () => number
  /** The state of the bus; absent if it connects no nodes. */
  busState?: Bus['state'] | undefined
}

/** Content type of `Metrics.text()`. */
export const metricsType: string = Registry.PROMETHEUS_CONTENT_TYPE

// Retrieving a contact takes well under a millisecond, a broad search half a second.
const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export function createMetrics({ version, openStreams, queueDepth, busState }: Gauges) {
  // Do not use the global registry: two platforms in one process would conflict.
  const registry = new Registry()
  const registers = [registry]
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = (name: string, help: string, ...labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: seconds, registers })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })

  const requests = counter('http_requests_total', 'Responses', 'method', 'route', 'status')
  const durations = histogram('http_request_duration_seconds', 'Time until the response', 'method', 'route', 'status')
  const storeCalls = histogram(
    'natter_store_call_duration_seconds',
    'Duration of calls to the store',
    'method',
    'outcome',
  )
  const turns = counter('natter_responder_turns_total', "Outcomes of responders' turns", 'responder', 'outcome')
  const deliveries = counter(
    'natter_deliveries_total',
    'Outcomes of deliveries to events webhooks, and of emails',
    'outcome',
  )
  gauge('natter_streams_open', 'Open event streams of widgets', openStreams)
  gauge('natter_store_queue_depth', 'Calls of the store that are waiting or running', queueDepth)
  if (busState) {
    gauge('natter_bus_connected', 'Whether this node is connected to the message bus', () =>
      Number(busState().isConnected),
    )
    new Counter({
      name: 'natter_bus_events_total',
      help: 'Events sent to and received from other nodes',
      labelNames: ['direction'],
      registers,
      collect() {
        const { published, received } = busState()
        this.reset()
        this.inc({ direction: 'published' }, published)
        this.inc({ direction: 'received' }, received)
      },
    })
  }
  // During an upgrade, nodes of one database run different versions.
  new Gauge({ name: 'natter_build_info', help: 'The running version', labelNames: ['version'], registers }).set(
    { version },
    1,
  )
  let readBefore = false

  return {
    /** Counts a response. `route` is a template, because ids and tokens must not become labels. */
    request(method: string, route: string, status: number, ms: number): void {
      const labels = { method: knownMethods.has(method) ? method : 'other', route, status }
      requests.inc(labels)
      durations.observe(labels, ms / 1000)
    },
    /** Measures a call of the store. */
    storeCall: (method: string, outcome: StoreOutcome, ms: number): void =>
      storeCalls.observe({ method, outcome }, ms / 1000),
    /** Counts the outcome of a responder's turn. */
    turn: (responder: string, outcome: string): void => turns.inc({ responder, outcome }),
    /** Counts the outcome of an attempt to deliver an event to a bot's events webhook, or to send an email. */
    delivery: (outcome: string): void => deliveries.inc({ outcome }),
    /** All metrics in Prometheus's text format. */
    text(): Promise<string> {
      // Process metrics observe the event loop and the garbage collector: start only when somebody reads them.
      if (!readBefore) collectDefaultMetrics({ register: registry })
      readBefore = true
      return registry.metrics()
    },
  }
}
