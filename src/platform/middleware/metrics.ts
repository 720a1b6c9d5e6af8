import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Bus } from '../bus/bus.ts'
import type { StoreOutcome } from '../store/store.ts'

/** What an operator may want to see as a curve; plain methods, so that who calls them need not know Prometheus. */
export interface Metrics {
  /** `route` is a template: no id and no token may become a label. */
  request(method: string, route: string, status: number, ms: number): void
  storeCall(method: string, outcome: StoreOutcome, ms: number): void
  /** What became of a responder's turn. */
  turn(responder: string, outcome: string): void
  /** What became of an attempt to tell a bot's events webhook something. */
  delivery(outcome: string): void
  /** All of it, as Prometheus reads it. */
  text(): Promise<string>
}

/** What is not counted but looked up when somebody reads. */
export interface Gauges {
  version: string
  openStreams: () => number
  queueDepth: () => number
  /** Of a bus between nodes. */
  busState?: Bus['state'] | undefined
}

/** Content type of `Metrics.text()`. */
export const metricsType: string = Registry.PROMETHEUS_CONTENT_TYPE

// Retrieving a contact takes well under a millisecond, a broad search half a second.
const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export function createMetrics({ version, openStreams, queueDepth, busState }: Gauges): Metrics {
  // One of its own: two platforms in a process must not add up, nor fail at the second.
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

  const requests = counter('http_requests_total', 'Requests answered', 'method', 'route', 'status')
  const durations = histogram('http_request_duration_seconds', 'Time to an answer', 'method', 'route', 'status')
  const storeCalls = histogram('natter_store_call_duration_seconds', 'Time of a call of the store', 'method', 'outcome')
  const turns = counter('natter_responder_turns_total', "What became of responders' turns", 'responder', 'outcome')
  const deliveries = counter('natter_deliveries_total', 'What became of calls of events webhooks', 'outcome')
  gauge('natter_streams_open', 'Streams of widgets that are open', openStreams)
  gauge('natter_store_queue_depth', 'Calls that wait for the store', queueDepth)
  if (busState) {
    gauge('natter_bus_connected', 'Whether other nodes are heard of by the bus', () => Number(busState().isConnected))
    new Counter({
      ...{ name: 'natter_bus_events_total', help: 'Events that went to other nodes and came from them' },
      ...{ labelNames: ['direction'], registers },
      collect() {
        const { published, received } = busState()
        this.reset()
        this.inc({ direction: 'published' }, published)
        this.inc({ direction: 'received' }, received)
      },
    })
  }
  // Nodes of one database may be of several versions while they are upgraded.
  new Gauge({ name: 'natter_build_info', help: 'The version that runs', labelNames: ['version'], registers }).set(
    { version },
    1,
  )
  let readBefore = false

  return {
    request(method, route, status, ms) {
      const labels = { method: knownMethods.has(method) ? method : 'other', route, status }
      requests.inc(labels)
      durations.observe(labels, ms / 1000)
    },
    storeCall: (method, outcome, ms) => storeCalls.observe({ method, outcome }, ms / 1000),
    turn: (responder, outcome) => turns.inc({ responder, outcome }),
    delivery: outcome => deliveries.inc({ outcome }),
    text() {
      // Those of the process watch its event loop and its garbage collector: not where nobody looks.
      if (!readBefore) collectDefaultMetrics({ register: registry })
      readBefore = true
      return registry.metrics()
    },
  }
}
