import { createApi } from '../api.ts'
import { type ContactFields, createContactGenerator } from '../contactGenerator.ts'
import { median } from '../figures.ts'
import type { Load } from '../loadClient.ts'
import { type Client, type Server, startClient } from '../processes.ts'
import { checked } from '../storeMeasurements.ts'
import { type Cost, combined, divided } from './cost.ts'
import { type Deployment, sizes } from './deployment.ts'

/** One kind of request to so many nodes. */
export interface RequestFigures {
  ask: Load['ask']
  nodes: number
  /** Under full load, and the connections to PostgreSQL then. */
  perSecond: number
  connections: number
  /** Under a steady one, the same for each node. */
  each: Cost
}

const kinds: Load['ask'][] = ['retrieve', 'create', 'update', 'search']
/** Of the clients of each node: as many as it takes; and so few, with pauses, that all nodes together leave cores free. */
const full = { connections: 32 }
const steady = { connections: 4, thinkMs: 20 }
const contacts = 20_000
const entriesAtOnce = 1000

/**
 * What one node, two, four answer in a second, and what one request costs. There are no more cores for four nodes than for
 * one: the former can't grow. The latter is measured while each node has the same to do, whatever the number of others.
 */
export async function measureRequests(
  deployment: Deployment,
  rounds: number,
  seconds: number,
): Promise<RequestFigures[]> {
  const known = await fill(deployment)
  const clients = deployment.nodes.map(() => startClient())
  let runs = 0
  const run = async (ask: Load['ask'], nodes: number, pace: typeof full | typeof steady, seconds: number) => {
    // What has been written lately a search would read all through.
    if (ask === 'search') await deployment.ask(`SELECT gin_clean_pending_list('contacts_search')`)
    const load = { ...known, ...pace, ask, seconds, round: String(runs++) }
    return runAll(deployment, clients.slice(0, nodes), load)
  }
  // All nodes are warm before any of them counts.
  for (const ask of kinds) await run(ask, clients.length, full, 2 * seconds)
  const found: RequestFigures[] = []
  // In turns, so that whatever else the machine does hits all of them.
  for (let round = 0; round < rounds; round++)
    for (const nodes of sizes)
      for (const ask of kinds) {
        const { perSecond } = await run(ask, nodes, full, seconds / 2)
        const connections = await deployment.countConnections(nodes)
        const { each } = await run(ask, nodes, steady, seconds)
        found.push({ ask, nodes, perSecond, connections, each })
      }
  await Promise.all(clients.map(client => client.stop()))
  return [...Map.groupBy(found, ({ ask, nodes }) => `${ask} ${nodes}`).values()].map(middle)
}

/** Makes the contacts that are asked for. */
async function fill({ nodes, botId, token, settle }: Deployment) {
  const { upsert } = createApi(nodes[0] as Server, botId, token)
  const nextContact = createContactGenerator()
  const contactIds: string[] = []
  const people: ContactFields[] = []
  while (contactIds.length < contacts) {
    const data = Array.from({ length: entriesAtOnce }, nextContact)
    contactIds.push(...(await upsert(data)))
    people.push(...data)
  }
  await settle()
  const queries = people.slice(0, 1000).map(({ email }) => `query=${encodeURIComponent(email)}`)
  return { path: `/v1/bots/${botId}`, token, contactIds, queries }
}

async function runAll(deployment: Deployment, clients: Client[], load: Omit<Load, 'port'>) {
  const run = (client: Client, index: number) => {
    const { port = 0 } = deployment.nodes[index] ?? {}
    return client.run({ ...load, port, round: `${load.round}.${index}` })
  }
  const { cost, result: results } = await deployment.measure(clients.length, () => Promise.all(clients.map(run)))
  const requests = results.map(checked).reduce((sum, result) => sum + result.requests, 0)
  const perSecond = results.reduce((sum, result) => sum + result.perSecond, 0)
  return { perSecond, each: divided(cost, requests) }
}

/** Each figure's median. */
function middle(rounds: RequestFigures[]): RequestFigures {
  const [first] = rounds as [RequestFigures]
  return {
    ...first,
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    connections: median(rounds.map(({ connections }) => connections)),
    each: combined((...values) => median(values), ...rounds.map(({ each }) => each)),
  }
}
