import { count, figure } from '../figures.ts'
import type { Report, Table } from '../report.ts'
import { assumptions, furtherMegabytes, minutesBetween, minutesOpen, targetUtilization } from './assumptions.ts'
import type { ClusterFigures } from './clusterFigures.ts'
import { type Cost, combineCosts, divideCost } from './cost.ts'
import { costTables } from './costTables.ts'
import { type FullNode, planTables } from './plan.ts'

/**
 * What was measured, what is assumed, and what follows from both: what one node and one PostgreSQL can carry, and what a
 * thousand nodes need.
 */
export function sizingReports(found: ClusterFigures): Report[] {
  const load = loadOf(found)
  const all = load
    .map(({ perSecond, each }) => divideCost(each, 1 / perSecond))
    .reduce((a, b) => combineCosts(sum, a, b))
  const { idle } = found.streams
  const streams = (targetUtilization * 1000 - idle.nodeMs) / all.nodeMs
  const node: FullNode = { streams, messages: (streams * 1000) / (minutesBetween * 60), idle, all }
  const rest = { goals: [], plots: [] }
  return [
    { ...rest, subject: 'measured', note: measuredNote, tables: costTables(found) },
    { ...rest, subject: 'assumed', note: assumedNote, tables: [assumptions] },
    {
      ...rest,
      subject: 'sizing',
      note: 'Nothing here was measured: the second column says what was multiplied and divided.',
      tables: [loadTable(load, all), nodeTable(found, node), ...planTables(node, found.bytes)],
    },
  ]
}

const measuredNote =
  'Each figure of this section by `npm run bench:cluster`, which starts the nodes, PostgreSQL and NATS on this machine.'

const assumedNote =
  'This benchmark does not measure these. They are constants of `e2e/bench/cluster/assumptions.ts`: put your own there, and run `npm run bench:cluster`.'

interface LoadLine {
  what: string
  perSecond: number
  each: Cost
}

/** What a thousand visitors with open streams do in one second, and the cost of each operation. */
function loadOf({ requests, streams }: ClusterFigures): LoadLine[] {
  const cost = (request: string) => requests.findLast(row => row.request === request)?.each as Cost
  const message = streams.deliveries.findLast(({ withNats }) => withNats)?.each as Cost
  const opened = 1000 / (minutesOpen * 60)
  return [
    { what: 'message with its reply', perSecond: 1000 / (minutesBetween * 60), each: message },
    { what: 'stream opened', perSecond: opened, each: streams.opening },
    { what: 'contact token issued', perSecond: opened, each: streams.issuing },
    { what: 'contact updated', perSecond: opened, each: cost('update') },
    { what: 'read (session, history)', perSecond: 2 * opened, each: cost('retrieve') },
    { what: 'search', perSecond: opened / 10, each: cost('search') },
    { what: 'thousand open streams', perSecond: 1, each: streams.watching.at(-1) as Cost },
  ]
}

const sum = (...values: number[]): number => values.reduce((a, b) => a + b, 0)

function loadTable(load: LoadLine[], all: Cost): Table {
  const product = (perSecond: number, each: number) => `× ${figure(each)} = ${figure(perSecond * each)}`
  return {
    title: 'A thousand open streams, per second',
    columns: ['', 'times', 'ms of nodes', 'ms of PostgreSQL', 'ms of NATS', 'kB of write-ahead log'],
    rows: [
      ...load.map(({ what, perSecond, each: { nodeMs, postgresMs, natsMs, walBytes } }) => [
        ...[what, figure(perSecond)],
        ...[nodeMs, postgresMs, natsMs, walBytes / 1000].map(each => product(perSecond, each)),
      ]),
      ['sum', '', ...[all.nodeMs, all.postgresMs, all.natsMs, all.walBytes / 1000].map(figure)],
    ],
  }
}

function nodeTable({ streams, bytes }: ClusterFigures, node: FullNode): Table {
  const [alone, first] = [streams.residentAlone / 1e6, streams.resident / 1e6]
  const further = Math.max(0, node.streams - 1)
  const { messages, idle, all } = node
  const gigabytes = (messages * 2 * bytes.message * 86_400) / 1e9
  return {
    title: 'One node on one core',
    columns: ['', 'calculation', ''],
    rows: [
      [
        'streams by CPU',
        `(${targetUtilization} × 1 000 ms − ${figure(idle.nodeMs)} ms without any) ÷ ${figure(all.nodeMs)} ms`,
        `${figure(node.streams)} thousand`,
      ],
      [
        'memory for them',
        `${figure(alone)} MB + ${figure(first)} MB for the first thousand + ${figure(further)} × ${furtherMegabytes} MB`,
        `${count(alone + first + further * furtherMegabytes)} MB`,
      ],
      [
        'messages',
        `${figure(node.streams)} × 1 000 ÷ (${minutesBetween} × 60 s), and as many replies`,
        `${figure(messages)} a second`,
      ],
      [
        "PostgreSQL's disk for a day of it",
        `2 × ${figure(messages)} × ${count(bytes.message)} bytes × 86 400 s`,
        `${figure(gigabytes)} GB`,
      ],
    ],
  }
}
