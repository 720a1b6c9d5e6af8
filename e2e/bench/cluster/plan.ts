import { count, figure } from '../figures.ts'
import type { Table } from '../report.ts'
import { busCores, defaults, otherConnections, server, targetUtilization } from './assumptions.ts'
import type { ClusterFigures } from './clusterFigures.ts'
import type { Cost } from './cost.ts'

/** A node at the target utilization. */
export interface FullNode {
  /** Thousands of open streams. */
  streams: number
  /** Messages per second, each with a reply. */
  messages: number
  /** Cost of one second without streams. */
  idle: Cost
  /** Cost of one second of a thousand streams. */
  all: Cost
}

/** A resource that is exhausted at some number of nodes. */
interface Limit {
  what: string
  calculation: string
  nodes: number
  /** The limit can be raised without another server. */
  isSoft?: boolean
}

const steps = [1, 2, 4, 10, 25, 50, 100, 250, 1000]

export function planTables(node: FullNode, bytes: ClusterFigures['bytes']): Table[] {
  const limits = listLimits(node).sort((a, b) => a.nodes - b.nodes)
  return [limitTable(limits, node, bytes), planTable(limits, node)]
}

function listLimits({ streams, idle, all }: FullNode): Limit[] {
  const { cores, connections, walMegabytes } = server
  const { connectionsOfNode } = defaults
  const { superusers, commands, upgrade } = otherConnections
  const held = (most: number) => ({
    calculation: `(${most} − ${superusers} for superusers − ${commands} for commands − ${upgrade} for an upgrade's node) ÷ ${connectionsOfNode} a node`,
    nodes: Math.floor((most - superusers - commands - upgrade) / connectionsOfNode),
  })
  const [postgresMs, natsMs, kilobytes] = [
    streams * all.postgresMs + idle.postgresMs,
    streams * all.natsMs,
    streams * (all.walBytes / 1000),
  ]
  return [
    {
      what: `the ${defaults.connections} connections that PostgreSQL comes with`,
      ...held(defaults.connections),
      isSoft: true,
    },
    { what: `${connections} connections, without a pooler`, ...held(connections), isSoft: true },
    {
      what: `${cores} cores of PostgreSQL`,
      calculation: `${targetUtilization} × ${cores} × 1 000 ms ÷ (${figure(streams)} × ${figure(all.postgresMs)} ms + ${figure(idle.postgresMs)} ms)`,
      nodes: (targetUtilization * cores * 1000) / postgresMs,
    },
    {
      what: `${busCores} cores of NATS`,
      calculation: `${targetUtilization} × ${busCores} × 1 000 ms ÷ (${figure(streams)} × ${figure(all.natsMs)} ms)`,
      nodes: (targetUtilization * busCores * 1000) / natsMs,
    },
    {
      what: `${walMegabytes} MB/s of write-ahead log`,
      calculation: `${walMegabytes} × 1 000 kB ÷ (${figure(streams)} × ${figure(all.walBytes / 1000)} kB)`,
      nodes: (walMegabytes * 1000) / kilobytes,
    },
  ]
}

function limitTable(limits: Limit[], node: FullNode, bytes: ClusterFigures['bytes']): Table {
  const contacts = (server.cacheGigabytes * 1e9) / bytes.contact
  return {
    title: 'When one PostgreSQL and its NATS reach their limits',
    columns: ['', 'calculation', 'limit reached at'],
    rows: [
      ...limits.map(({ what, calculation, nodes }) => [
        what,
        calculation,
        `${figure(nodes)} nodes, ${count(nodes * node.streams)} thousand streams`,
      ]),
      [
        `${server.cacheGigabytes} GB for searches`,
        `${server.cacheGigabytes} GB ÷ ${count(bytes.contact)} bytes a contact`,
        `${figure(contacts / 1e6)} million contacts`,
      ],
    ],
  }
}

/** Spreads the nodes over so many shards that no shard reaches a limit. */
function planTable(limits: Limit[], { streams, messages, idle, all }: FullNode): Table {
  const largest = Math.max(1, Math.floor(Math.min(...limits.filter(({ isSoft }) => !isSoft).map(({ nodes }) => nodes))))
  const cores = (ms: number) => Math.ceil(ms / 1000 / targetUtilization)
  return {
    title: 'From one node to a thousand',
    columns: [
      'nodes',
      'thousand streams',
      'messages a second',
      'shards',
      'cores of nodes + PostgreSQL + NATS',
      'nodes per shard',
      'connections of the nodes',
      'MB/s of write-ahead log',
      'next limit',
    ],
    rows: steps.map(nodes => {
      const shards = Math.ceil(nodes / largest)
      const each = Math.ceil(nodes / shards)
      const next = shards > 1 ? 'another shard' : limits.find(limit => limit.nodes > each)?.what
      const needed = [
        nodes,
        cores(nodes * (streams * all.postgresMs + idle.postgresMs)),
        cores(nodes * streams * all.natsMs),
      ]
      return [
        ...[
          count(nodes),
          count(nodes * streams),
          count(nodes * messages),
          count(shards),
          needed.map(count).join(' + '),
        ],
        ...[count(each), count(each * defaults.connectionsOfNode), figure((each * streams * all.walBytes) / 1e6)],
        next ?? '',
      ]
    }),
  }
}
