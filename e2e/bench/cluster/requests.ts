import { createApi } from '../api.ts'
import { type ContactFields, createContactGenerator } from '../contactGenerator.ts'
import { median } from '../figures.ts'
import type { Load } from '../loadClient.ts'
import { type Client, type Server, startClient } from '../processes.ts'
import { requireSuccess } from '../storeMeasurements.ts'
import { type Cost, combineCosts, divideCost } from './cost.ts'
import { type Deployment, sizes } from './deployment.ts'

/** Results of one kind of request to a number of nodes. */
export interface RequestFigures {
  request: Load['request']
  nodes: number
  /** Under full load. */
  perSecond: number
  /** Connections to PostgreSQL under full load. */
  connections: number
  /** Cost of one request under a steady load, which is the same for each node. */
  each: Cost
}

const kinds: Load['request'][] = ['retrieve', 'create', 'update', 'search']
/** Clients of each node: enough to saturate it. */
const fullLoad = { connections: 32 }
/** Clients of each node: so few, with pauses, that all nodes together leave cores idle. */
const steadyLoad = { connections: 4, thinkMs: 20 }
const contacts = 20_000
const batchSize = 1000

/**
 * Measures requests per second of one, two and four nodes, and the cost of one request. All nodes share the same cores, so
 * the throughput cannot grow with their number. The cost is measured with the same load for each node.
 */
export async function measureRequests(
  deployment: Deployment,
  rounds: number,
  seconds: number,
): Promise<RequestFigures[]> {
  const known = await fill(deployment)
  const clients = deployment.nodes.map(() => startClient())
  let runs = 0
  const run = async (
    request: Load['request'],
    nodes: number,
    pace: typeof fullLoad | typeof steadyLoad,
    seconds: number,
  ) => {
    // A search scans the pending list of recent writes, so empty it first.
    if (request === 'search') await deployment.queryRow(`SELECT gin_clean_pending_list('contacts_search')`)
    const load = { ...known, ...pace, request, seconds, round: String(runs++) }
    return runAll(deployment, clients.slice(0, nodes), load)
  }
  // Warm up all nodes before measuring any.
  for (const request of kinds) await run(request, clients.length, fullLoad, 2 * seconds)
  const found: RequestFigures[] = []
  // Alternate, so that other load on the machine affects all of them equally.
  for (let round = 0; round < rounds; round++)
    for (const nodes of sizes)
      for (const request of kinds) {
        const { perSecond } = await run(request, nodes, fullLoad, seconds / 2)
        const connections = await deployment.countConnections(nodes)
        const { each } = await run(request, nodes, steadyLoad, seconds)
        found.push({ request, nodes, perSecond, connections, each })
      }
  await Promise.all(clients.map(client => client.stop()))
  return [...Map.groupBy(found, ({ request, nodes }) => `${request} ${nodes}`).values()].map(medianOf)
}

/** Creates the contacts that the requests refer to. */
async function fill({ nodes, botId, token, vacuumAndCheckpoint }: Deployment) {
  const { upsert } = createApi(nodes[0] as Server, botId, token)
  const nextContact = createContactGenerator()
  const contactIds: string[] = []
  const people: ContactFields[] = []
  while (contactIds.length < contacts) {
    const data = Array.from({ length: batchSize }, nextContact)
    contactIds.push(...(await upsert(data)))
    people.push(...data)
  }
  await vacuumAndCheckpoint()
  const queries = people.slice(0, 1000).map(({ email }) => `query=${encodeURIComponent(email)}`)
  return { path: `/v1/bots/${botId}`, token, contactIds, queries }
}

async function runAll(deployment: Deployment, clients: Client[], load: Omit<Load, 'port'>) {
  const run = (client: Client, index: number) => {
    const { port = 0 } = deployment.nodes[index] ?? {}
    return client.run({ ...load, port, round: `${load.round}.${index}` })
  }
  const { cost, result: results } = await deployment.measure(clients.length, () => Promise.all(clients.map(run)))
  const requests = results.map(requireSuccess).reduce((sum, result) => sum + result.requests, 0)
  const perSecond = results.reduce((sum, result) => sum + result.perSecond, 0)
  return { perSecond, each: divideCost(cost, requests) }
}

/** The median of each figure. */
function medianOf(rounds: RequestFigures[]): RequestFigures {
  const [first] = rounds as [RequestFigures]
  return {
    ...first,
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    connections: median(rounds.map(({ connections }) => connections)),
    each: combineCosts((...values) => median(values), ...rounds.map(({ each }) => each)),
  }
}
