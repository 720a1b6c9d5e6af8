import { createApi } from '../api.ts'
import { median, percentile } from '../figures.ts'
import type { Load } from '../load.ts'
import { createPeople, type Person } from '../people.ts'
import { type Client, type Server, startClient } from '../processes.ts'
import { checked } from '../storeFigures.ts'
import { type Cost, combined, divided } from './cost.ts'
import { type Deployment, sizes } from './deployment.ts'

/** One kind of request to so many nodes, and what one of them costs. */
export interface RequestFigures {
  ask: Load['ask']
  nodes: number
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  each: Cost
  /** That the nodes held. */
  connections: number
}

const kinds: Load['ask'][] = ['retrieve', 'create', 'update', 'search']
/** Of the clients of each node. */
const connections = 32
const contacts = 20_000
const entriesAtOnce = 1000

/**
 * Puts one node, two, four under full load. The machine has no more cores for four nodes than for one: what can be compared
 * is what a request costs.
 */
export async function measureRequests(
  deployment: Deployment,
  rounds: number,
  seconds: number,
): Promise<RequestFigures[]> {
  const known = await fill(deployment)
  const clients = deployment.nodes.map(() => startClient())
  // All nodes are warm before any of them counts.
  for (const ask of kinds) await measure(deployment, clients, { ...known, ask, seconds: 3 * seconds, round: 'warm' })
  const found: RequestFigures[] = []
  // In turns, so that whatever else the machine does hits all of them.
  for (let round = 0; round < rounds; round++)
    for (const nodes of sizes)
      for (const ask of kinds) {
        // What has been written lately a search would read all through.
        if (ask === 'search') await deployment.ask(`SELECT gin_clean_pending_list('contacts_search')`)
        const load = { ...known, ask, seconds, round: `${round}.${nodes}` }
        found.push(await measure(deployment, clients.slice(0, nodes), load))
      }
  await Promise.all(clients.map(client => client.stop()))
  return [...Map.groupBy(found, ({ ask, nodes }) => `${ask} ${nodes}`).values()].map(middle)
}

/** Makes the contacts that are asked for. */
async function fill({ nodes, botId, token, settle }: Deployment) {
  const { upsert } = createApi(nodes[0] as Server, botId, token)
  const nextPerson = createPeople()
  const contactIds: string[] = []
  const people: Person[] = []
  while (contactIds.length < contacts) {
    const data = Array.from({ length: entriesAtOnce }, nextPerson)
    contactIds.push(...(await upsert(data)))
    people.push(...data)
  }
  await settle()
  const queries = people.slice(0, 1000).map(({ email }) => `query=${encodeURIComponent(email)}`)
  return { path: `/v1/bots/${botId}`, token, contactIds, queries }
}

async function measure(
  deployment: Deployment,
  clients: Client[],
  load: Omit<Load, 'port' | 'connections'>,
): Promise<RequestFigures> {
  const nodes = clients.length
  const run = (client: Client, index: number) => {
    const { port = 0 } = deployment.nodes[index] ?? {}
    return client.run({ ...load, port, connections, round: `${load.round}.${index}` })
  }
  const { cost, result: results } = await deployment.measure(nodes, () => Promise.all(clients.map(run)))
  for (const result of results) checked(result)
  const requests = results.reduce((sum, result) => sum + result.requests, 0)
  const latencies = results.flatMap(result => result.latencies)
  return {
    ...{ ask: load.ask, nodes, perSecond: results.reduce((sum, result) => sum + result.perSecond, 0) },
    ...{ p50: median(latencies), p99: percentile(latencies, 0.99) },
    each: divided(cost, requests),
    connections: await deployment.countConnections(nodes),
  }
}

/** Each figure's median. */
function middle(rounds: RequestFigures[]): RequestFigures {
  const [first] = rounds as [RequestFigures]
  const of = (name: 'perSecond' | 'p50' | 'p99' | 'connections') => median(rounds.map(round => round[name]))
  return {
    ...{ ask: first.ask, nodes: first.nodes, perSecond: of('perSecond'), p50: of('p50'), p99: of('p99') },
    each: combined((...values) => median(values), ...rounds.map(({ each }) => each)),
    connections: of('connections'),
  }
}
