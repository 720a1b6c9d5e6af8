import { count, figure, median, milliseconds, percent, percentile } from '../figures.ts'
import type { Plot } from '../plot.ts'
import type { Goal, Report, Table } from '../report.ts'
import type { ClusterFigures } from './clusterFigures.ts'
import { cpu, nodeNames } from './costTables.ts'
import type { Delivery } from './delivery.ts'
import { sizes } from './deployment.ts'
import type { RequestFigures } from './requests.ts'

/** Compares one, two and four nodes. */
export function clusterReport(found: ClusterFigures): Report {
  const { requests, streams, machineLoad } = found
  const kinds = [...Map.groupBy(requests, ({ request }) => request).entries()]
  return {
    subject: 'cluster',
    goals: [...costGoals(kinds), ...deliveryGoals(streams.deliveries)],
    tables: [
      {
        title: 'Requests a second under full load; clients, nodes and PostgreSQL share the cores of one machine',
        columns: ['', ...nodeNames],
        rows: kinds.map(([request, [one, ...others]]) => [
          request,
          count(one?.perSecond ?? 0),
          ...others.map(({ perSecond }) => `${count(perSecond)} (${times(perSecond / (one?.perSecond ?? 0))})`),
        ]),
      },
      {
        title: 'Milliseconds of CPU a request, of the nodes + of PostgreSQL, each node under the same steady load',
        columns: ['', ...nodeNames],
        rows: kinds.map(([request, [one, ...others]]) => [
          request,
          one ? cpu(one.each) : '',
          ...others.map(row => `${cpu(row.each)} (${times(cpuOf(row) / (one ? cpuOf(one) : 0))})`),
        ]),
      },
      deliveryTable(streams.deliveries),
      {
        title: 'Other load on the machine',
        columns: ['', ''],
        rows: [
          ['load average before', figure(machineLoad.load)],
          ['used by other programs', percent(machineLoad.otherPrograms)],
        ],
      },
    ],
    plots: [
      barsOf('cluster-requests', 'Requests a second', kinds, ({ perSecond }) => perSecond),
      barsOf('cluster-cpu', 'Milliseconds of CPU a request, of the nodes and PostgreSQL', kinds, cpuOf),
      {
        name: 'cluster-delivery',
        kind: 'lines',
        title: "Milliseconds until another node's stream has a message",
        x: nodeNames,
        series: [true, false].flatMap(withNats =>
          [0.5, 0.99].map(share => ({
            name: `${withNats ? 'NATS' : 'sweep alone'} p${share * 100}`,
            values: sizes.map(nodeCount =>
              percentile(deliveryOf(streams.deliveries, nodeCount, withNats).messageMs, share),
            ),
          })),
        ),
      },
    ],
  }
}

/** For each kind of request, the figures of one, two and four nodes. */
type Kinds = [string, RequestFigures[]][]

const times = (ratio: number): string => `${ratio.toFixed(2)} ×`
const cpuOf = ({ each }: RequestFigures): number => each.nodeMs + each.postgresMs

const barsOf = (name: string, title: string, kinds: Kinds, of: (row: RequestFigures) => number): Plot => ({
  ...{ name, kind: 'bars', title, x: kinds.map(([request]) => request) },
  series: nodeNames.map((node, index) => ({
    name: node,
    values: kinds.map(([, rows]) => of(rows[index] as RequestFigures)),
  })),
})

/** A single node does not use NATS, so its figures with and without it are the same. */
const deliveryOf = (rows: Delivery[], nodes: number, withNats: boolean): Delivery =>
  rows.find(row => row.nodes === nodes && (nodes === 1 || row.withNats === withNats)) as Delivery

function costGoals(kinds: Kinds): Goal[] {
  const most = sizes.at(-1)
  return (['nodeMs', 'postgresMs'] as const).map(part => {
    const ratio = Math.max(...kinds.map(([, rows]) => (rows.at(-1)?.each[part] ?? 0) / (rows[0]?.each[part] ?? 0)))
    return {
      what: `CPU of ${part === 'nodeMs' ? 'the nodes' : 'PostgreSQL'} a request at ${most} nodes, of that at one (whichever request rises most)`,
      goal: '≤ 1.25 ×',
      figure: times(ratio),
      met: ratio <= 1.25,
    }
  })
}

function deliveryGoals(rows: Delivery[]): Goal[] {
  const most = sizes.at(-1) ?? 0
  const [withBus, withoutBus] = [deliveryOf(rows, most, true), deliveryOf(rows, most, false)]
  const within = (what: string, limit: number, ms: number): Goal => ({
    what,
    goal: `≤ ${count(limit)} ms`,
    figure: milliseconds(ms),
    met: ms <= limit,
  })
  return [
    within("a message reaches another node's stream, p99", 250, percentile(withBus.messageMs, 0.99)),
    within('the same without NATS, by the sweep alone', 1000, percentile(withoutBus.messageMs, 0.99)),
    within("a revocation ends another node's stream, slowest", 1000, Math.max(...withBus.revocationMs)),
    within('the same without NATS', 2000, Math.max(...withoutBus.revocationMs)),
  ]
}

function deliveryTable(rows: Delivery[]): Table {
  return {
    title: 'From one node to a stream on another, with a thousand streams on each',
    columns: ['', 'message p50', 'of one node’s', 'p95', 'p99', 'revocation p50', 'slowest'],
    rows: rows.map(({ nodes, withNats, messageMs, revocationMs }) => [
      nodes === 1 ? '1 node, within it' : `${nodes} nodes, ${withNats ? 'NATS' : 'the sweep alone'}`,
      milliseconds(median(messageMs)),
      times(median(messageMs) / median(rows[0]?.messageMs ?? [])),
      milliseconds(percentile(messageMs, 0.95)),
      milliseconds(percentile(messageMs, 0.99)),
      milliseconds(median(revocationMs)),
      milliseconds(Math.max(...revocationMs)),
    ]),
  }
}
