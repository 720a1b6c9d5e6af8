import { count, figure } from '../figures.ts'
import type { Table } from '../report.ts'
import { busCores, preset, server, share } from './assumptions.ts'
import type { ClusterFigures } from './cluster.ts'
import type { Cost } from './cost.ts'

/** A node as full as it shall be. */
export interface FullNode {
  /** Thousands. */
  streams: number
  /** In a second, each with its answer. */
  messages: number
  /** What it costs without streams, and what a thousand streams cost. */
  idle: Cost
  all: Cost
}

/** What is full at some number of nodes. */
interface Limit {
  what: string
  reckoned: string
  nodes: number
  /** More of it can be had without another server. */
  isSoft?: boolean
}

const steps = [1, 2, 4, 10, 25, 50, 100, 250, 1000]

export function planTables(node: FullNode, bytes: ClusterFigures['bytes']): Table[] {
  const limits = limitsOf(node).sort((a, b) => a.nodes - b.nodes)
  return [limitTable(limits, node, bytes), planTable(limits, node)]
}

function limitsOf({ streams, idle, all }: FullNode): Limit[] {
  const { cores, connections, walMegabytes } = server
  const { connectionsOfNode } = preset
  const held = (most: number) => ({
    reckoned: `${most} ÷ ${connectionsOfNode} a node`,
    nodes: most / connectionsOfNode,
  })
  const [postgresMs, natsMs, kilobytes] = [
    streams * all.postgresMs + idle.postgresMs,
    streams * all.natsMs,
    streams * (all.walBytes / 1000),
  ]
  return [
    {
      what: `the ${preset.connections} connections that PostgreSQL comes with`,
      ...held(preset.connections),
      isSoft: true,
    },
    { what: `${connections} connections, without a pooler`, ...held(connections), isSoft: true },
    {
      what: `${cores} cores of PostgreSQL`,
      reckoned: `${share} × ${cores} × 1 000 ms ÷ (${figure(streams)} × ${figure(all.postgresMs)} ms + ${figure(idle.postgresMs)} ms)`,
      nodes: (share * cores * 1000) / postgresMs,
    },
    {
      what: `${busCores} cores of NATS`,
      reckoned: `${share} × ${busCores} × 1 000 ms ÷ (${figure(streams)} × ${figure(all.natsMs)} ms)`,
      nodes: (share * busCores * 1000) / natsMs,
    },
    {
      what: `${walMegabytes} MB/s written ahead`,
      reckoned: `${walMegabytes} × 1 000 kB ÷ (${figure(streams)} × ${figure(all.walBytes / 1000)} kB)`,
      nodes: (walMegabytes * 1000) / kilobytes,
    },
  ]
}

function limitTable(limits: Limit[], node: FullNode, bytes: ClusterFigures['bytes']): Table {
  const contacts = (server.cacheGigabytes * 1e9) / bytes.contact
  return {
    title: 'What is full when, of one PostgreSQL and its NATS',
    columns: ['', 'reckoned', 'full at'],
    rows: [
      ...limits.map(({ what, reckoned, nodes }) => [
        what,
        reckoned,
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

/** Nodes are spread over as many shards as it takes for none to be full. */
function planTable(limits: Limit[], { streams, messages, idle, all }: FullNode): Table {
  const largest = Math.max(1, Math.floor(Math.min(...limits.filter(({ isSoft }) => !isSoft).map(({ nodes }) => nodes))))
  const cores = (ms: number) => Math.ceil(ms / 1000 / share)
  return {
    title: 'From one node to a thousand',
    columns: [
      'nodes',
      'thousand streams',
      'messages a second',
      'shards',
      'cores of nodes + PostgreSQL + NATS',
      'of each shard: nodes',
      'connections',
      'MB/s written ahead',
      'full next',
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
        ...[count(each), count(each * preset.connectionsOfNode), figure((each * streams * all.walBytes) / 1e6)],
        next ?? '',
      ]
    }),
  }
}
