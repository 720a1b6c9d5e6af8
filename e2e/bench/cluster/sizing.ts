import { count, figure } from '../figures.ts'
import type { Report, Table } from '../report.ts'
import type { ClusterFigures } from './cluster.ts'
import { type Cost, combined, divided } from './cost.ts'
import { costTables } from './costTables.ts'

// Ours: what is reckoned with. Whoever has other numbers puts them in their place.
/** How long a visitor's stream is open, and how much time is between two messages of one. */
const minutesOpen = 10
const minutesBetween = 5
/** No more of a core than this, so that the others can bear one that fails. */
const share = 0.6
/** A database server: what it has, and what its disks take a second. */
const server = { cores: 16, connections: 500, walMegabytes: 50, cacheGigabytes: 48 }
const busCores = 4
const connectionsOfNode = 10
const steps = [1, 2, 4, 10, 25, 100, 250, 1000]

const assumptions: Table = {
  title: 'What is reckoned with',
  columns: ['', ''],
  rows: [
    ["a visitor's stream is open for", `${minutesOpen} minutes`],
    ['a visitor whose stream is open writes every', `${minutesBetween} minutes, and is answered`],
    ['for each stream opened', 'one token, one update of a contact, two reads, a tenth of a search'],
    ['used of a core', `${share * 100} %`],
    ['a PostgreSQL server', `${server.cores} cores, ${server.cacheGigabytes} GB left for its cache`],
    ['its disk', `${server.walMegabytes} MB/s of what is written ahead`],
    ['a NATS server', `${busCores} cores`],
    ['its connections', `${server.connections}; a node holds up to ${connectionsOfNode}`],
  ],
}

/** What one node and one PostgreSQL carry by the figures found, line by line, and what a thousand nodes need. */
export function sizingReport(found: ClusterFigures): Report {
  const load = loadOf(found)
  const all = load.map(({ perSecond, each }) => divided(each, 1 / perSecond)).reduce((a, b) => combined(sum, a, b))
  const ofNode = (share * 1000 - found.streams.idle.nodeMs) / all.nodeMs
  const limits = limitsOf(all)
  return {
    ...{ subject: 'sizing', goals: [], plots: [] },
    tables: [
      ...costTables(found),
      assumptions,
      loadTable(load, all),
      nodeTable(found, all, ofNode),
      limitTable(found, limits, ofNode),
      planTable(all, limits, ofNode),
    ],
  }
}

interface Line {
  what: string
  perSecond: number
  each: Cost
}

/** What a thousand people with an open stream do in a second, and what one of each costs. */
function loadOf({ requests, streams }: ClusterFigures): Line[] {
  const cost = (ask: string) => requests.findLast(row => row.ask === ask)?.each as Cost
  const message = streams.deliveries.findLast(({ withNats }) => withNats)?.each as Cost
  const opened = 1000 / (minutesOpen * 60)
  return [
    { what: 'message with its answer', perSecond: 1000 / (minutesBetween * 60), each: message },
    { what: 'stream opened', perSecond: opened, each: streams.opening },
    { what: 'contact token issued', perSecond: opened, each: streams.issuing },
    { what: 'contact updated', perSecond: opened, each: cost('update') },
    { what: 'read (session, history)', perSecond: 2 * opened, each: cost('retrieve') },
    { what: 'search', perSecond: opened / 10, each: cost('search') },
    { what: 'thousand open streams', perSecond: 1, each: streams.watching.at(-1) as Cost },
  ]
}

const sum = (...values: number[]): number => values.reduce((a, b) => a + b, 0)

function loadTable(load: Line[], all: Cost): Table {
  const product = (perSecond: number, each: number) => `× ${figure(each)} = ${figure(perSecond * each)}`
  return {
    title: 'A thousand open streams, in a second',
    columns: ['', 'times', 'ms of nodes', 'ms of PostgreSQL', 'ms of NATS', 'kB written ahead'],
    rows: [
      ...load.map(({ what, perSecond, each: { nodeMs, postgresMs, natsMs, walBytes } }) => [
        ...[what, figure(perSecond)],
        ...[nodeMs, postgresMs, natsMs, walBytes / 1000].map(each => product(perSecond, each)),
      ]),
      ['sum', '', ...[all.nodeMs, all.postgresMs, all.natsMs, all.walBytes / 1000].map(figure)],
    ],
  }
}

/** `ofNode` are the thousands of streams that a node carries. */
function nodeTable({ streams }: ClusterFigures, all: Cost, ofNode: number): Table {
  const [alone, each] = [streams.residentAlone / 1e6, streams.resident / 1e6]
  const own = streams.idle.nodeMs
  return {
    title: 'One node, of one core',
    columns: ['', 'reckoned', ''],
    rows: [
      [
        'streams by CPU',
        `(${share} × 1 000 ms − ${figure(own)} ms without any) ÷ ${figure(all.nodeMs)} ms`,
        `${figure(ofNode)} thousand`,
      ],
      [
        'memory for them',
        `${figure(alone)} MB + ${figure(ofNode)} × ${figure(each)} MB`,
        `${count(alone + ofNode * each)} MB`,
      ],
    ],
  }
}

/** What fills up of one PostgreSQL and its NATS, in thousands of streams. */
interface Limit {
  what: string
  reckoned: string
  streams: number
}

function limitsOf({ postgresMs, natsMs, walBytes }: Cost): Limit[] {
  const { cores, walMegabytes } = server
  const kilobytes = walBytes / 1000
  return [
    {
      what: `${cores} cores of PostgreSQL`,
      reckoned: `${share} × ${cores} × 1 000 ms ÷ ${figure(postgresMs)} ms`,
      streams: (share * cores * 1000) / postgresMs,
    },
    {
      what: 'its writing ahead',
      reckoned: `${walMegabytes} × 1 000 kB ÷ ${figure(kilobytes)} kB`,
      streams: (walMegabytes * 1000) / kilobytes,
    },
    {
      what: `${busCores} cores of NATS`,
      reckoned: `${share} × ${busCores} × 1 000 ms ÷ ${figure(natsMs)} ms`,
      streams: (share * busCores * 1000) / natsMs,
    },
  ].sort((a, b) => a.streams - b.streams)
}

function limitTable({ bytes }: ClusterFigures, limits: Limit[], ofNode: number): Table {
  const { connections, cacheGigabytes } = server
  const nodes = connections / connectionsOfNode
  const contacts = (cacheGigabytes * 1e9) / bytes.contact
  return {
    title: 'One PostgreSQL: what is full when',
    columns: ['', 'reckoned', 'full at'],
    rows: [
      [
        `${connections} connections, without a pooler`,
        `${connections} ÷ ${connectionsOfNode} a node`,
        `${figure(nodes)} nodes, ${figure(nodes * ofNode)} thousand streams`,
      ],
      ...limits.map(({ what, reckoned, streams }) => [
        what,
        reckoned,
        `${figure(streams / ofNode)} nodes, ${figure(streams)} thousand streams`,
      ]),
      [
        `${cacheGigabytes} GB for searches`,
        `${cacheGigabytes} GB ÷ ${figure(bytes.contact)} bytes, of which ${figure(bytes.search)} in the index for searches`,
        `${figure(contacts / 1e6)} million contacts`,
      ],
    ],
  }
}

function planTable(all: Cost, limits: Limit[], ofNode: number): Table {
  const nodesOfServer = Math.max(1, Math.floor((limits[0]?.streams ?? 0) / ofNode))
  return {
    title: 'From one node to a thousand',
    columns: [
      'nodes',
      'thousand streams',
      'messages a second',
      'PostgreSQL servers',
      'cores of all of them',
      'nodes of each',
      'connections of each',
      'MB/s written ahead by each',
    ],
    rows: steps.map(nodes => {
      const servers = Math.ceil(nodes / nodesOfServer)
      const each = Math.ceil(nodes / servers)
      const streams = nodes * ofNode
      return [
        ...[count(nodes), figure(streams), figure((streams * 1000) / (minutesBetween * 60)), count(servers)],
        ...[count(Math.ceil((streams * all.postgresMs) / 1000 / share)), count(each), count(each * connectionsOfNode)],
        figure((each * ofNode * all.walBytes) / 1e6),
      ]
    }),
  }
}
