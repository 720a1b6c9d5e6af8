import { count, figure, percent } from '../figures.ts'
import type { Table } from '../report.ts'
import type { ClusterFigures } from './clusterFigures.ts'
import type { Cost } from './cost.ts'
import { sizes } from './deployment.ts'

export const nodeNames = sizes.map(nodeCount => (nodeCount === 1 ? '1 node' : `${nodeCount} nodes`))

/** CPU milliseconds of the nodes and of PostgreSQL. */
export const cpu = ({ nodeMs, postgresMs }: Cost): string => `${figure(nodeMs)} + ${figure(postgresMs)}`

const written = ({ walBytes }: Cost): string => `${figure(walBytes / 1000)} kB`
const bus = ({ natsMs }: Cost): string => `${figure(natsMs)} ms`

/** The cost of each operation: per number of nodes, and those that do not depend on it. */
export function costTables({ requests, streams, bytes, machineLoad }: ClusterFigures): Table[] {
  const kinds = [...Map.groupBy(requests, ({ request }) => request).entries()]
  const row = (what: string, costs: (Cost | undefined)[], show: (cost: Cost) => string) => {
    return [what, ...costs.map(cost => (cost ? show(cost) : ''))]
  }
  const rowsOf = (prefix: string, show: (cost: Cost) => string) =>
    kinds.map(([request, found]) => row(prefix + request, found.map(onlyCost), show))
  const messages = (withNats: boolean) =>
    sizes.map(
      nodeCount => streams.deliveries.find(found => found.nodes === nodeCount && found.withNats === withNats)?.each,
    )
  const connections = sizes.map(nodeCount =>
    requests.filter(({ nodes }) => nodes === nodeCount).map(found => found.connections),
  )
  return [
    {
      title: 'CPU per operation, milliseconds of the nodes + of PostgreSQL',
      columns: ['', ...nodeNames],
      rows: [
        ...rowsOf('', cpu),
        row('message with its reply', messages(true), cpu),
        row('the same without NATS', messages(false), cpu),
        row('a second of a thousand open streams', streams.watching, cpu),
      ],
    },
    {
      title: 'Write-ahead log per operation, CPU of NATS, connections',
      columns: ['', ...nodeNames],
      rows: [
        ...rowsOf('', written),
        row('message with its reply', messages(true), written),
        row('CPU of NATS for it', messages(true), bus),
        ['connections under load', ...connections.map(held => String(Math.max(...held)))],
      ],
    },
    {
      title: 'Independent of the number of nodes (CPU as above)',
      columns: ['', ''],
      rows: [
        ['contact token issued', cpu(streams.issuing)],
        ['stream opened', cpu(streams.opening)],
        ['a second of a node without streams', cpu(streams.idle)],
        ['memory of a node without streams', `${count(streams.residentAlone / 1e6)} MB`],
        ['memory of the first thousand streams', `${figure(streams.resident / 1e6)} MB`],
        [
          'contact on disk, with its indexes',
          `${count(bytes.contact)} bytes, ${count(bytes.search)} of them for searches`,
        ],
        ['message on disk, with its indexes', `${count(bytes.message)} bytes`],
        ['used by other programs during the measurement', `${percent(machineLoad.otherPrograms)} of the machine`],
      ],
    },
  ]
}

const onlyCost = ({ each }: { each: Cost }): Cost => each
