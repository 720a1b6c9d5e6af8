import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, streamRequest } from '../api.ts'
import { createContactGenerator } from '../contactGenerator.ts'
import { median } from '../figures.ts'
import { type Server, startStreamClients, usageOf } from '../processes.ts'
import { type Cost, combineCosts, divideCost, subtractCost } from './cost.ts'
import { type Delivery, measureDelivery, type OpenStreams, type Stream } from './delivery.ts'
import { type Deployment, sizes } from './deployment.ts'

/** The cost of streams, and how soon events reach them. */
export interface StreamFigures {
  /** Cost of a node without streams, per second. */
  idle: Cost
  /** Cost of issuing a contact token. */
  issuing: Cost
  /** Cost of opening a stream. */
  opening: Cost
  /** Cost of a thousand open streams without messages, per second, by number of nodes. */
  watching: Cost[]
  /** Resident bytes of a node without streams. */
  residentAlone: number
  /** Resident bytes that a thousand streams add. */
  resident: number
  deliveries: Delivery[]
}

const streamsOfNode = 1000
const idleSeconds = 10
/** Long enough for one heartbeat of each stream. */
const watchedSeconds = 15

/** Opens a thousand streams on each of one, two and four nodes with NATS, then measures delivery without NATS. */
export async function measureStreams(deployment: Deployment): Promise<StreamFigures> {
  const { nodes, bots, token, measure } = deployment
  const clients = startStreamClients()
  await deployment.vacuumAndCheckpoint()
  const nothing = await measure(nodes.length, () => sleep(idleSeconds * 1000))
  const idle = divideCost(nothing.cost, idleSeconds * nodes.length)
  const wanted = nodes.length * streamsOfNode
  const issuing = await measure(1, () => issueAll(nodes[0] as Server, bots, token, wanted))
  await deployment.vacuumAndCheckpoint()

  const openStreams: OpenStreams = { deployment, clients, open: [] }
  const openAll = async ({ port }: Server): Promise<void> => {
    const streams = issuing.result.splice(0, streamsOfNode)
    openStreams.open.push(streams)
    await clients.open(
      port,
      streams.map(({ bearer, botId }) => streamRequest(bearer, botId)),
    )
  }
  const opened: Cost[] = []
  const watched: Cost[] = []
  const deliveries: Delivery[] = []
  const residentBefore: number[] = []
  const resident: number[] = []
  for (const nodeCount of sizes) {
    const fresh = nodes.slice(openStreams.open.length, nodeCount)
    const before = fresh.map(node => usageOf(node).resident)
    residentBefore.push(...before)
    const opening = await measure(nodeCount, async () => {
      for (const node of fresh) await openAll(node)
    })
    opened.push(divideCost(opening.cost, fresh.length * streamsOfNode))
    await sleep(3000)
    resident.push(...fresh.map((node, index) => usageOf(node).resident - (before[index] ?? 0)))
    const silence = await measure(nodeCount, () => sleep(watchedSeconds * 1000))
    watched.push(divideCost(silence.cost, watchedSeconds))
    deliveries.push(
      await measureDelivery(openStreams, { nodes: nodeCount, withNats: true, idle: watched.at(-1) as Cost }),
    )
  }
  await deployment.killNats()
  for (const [index, nodeCount] of sizes.entries())
    if (nodeCount > 1)
      deliveries.push(
        await measureDelivery(openStreams, { nodes: nodeCount, withNats: false, idle: watched[index] as Cost }),
      )
  await clients.stop()
  return {
    idle,
    issuing: divideCost(issuing.cost, wanted),
    opening: combineCosts((...costs) => median(costs), ...opened),
    // Nodes without streams also poll PostgreSQL for due work, so subtract the cost of all of them.
    watching: watched.map((cost, index) => {
      const nodeCount = sizes[index] as number
      const asking = { ...divideCost(idle, 1 / nodeCount), postgresMs: idle.postgresMs * nodes.length }
      return divideCost(subtractCost(cost, asking), nodeCount)
    }),
    residentAlone: median(residentBefore),
    resident: median(resident),
    deliveries,
  }
}

/** Issues tokens for contacts of all bots, in round-robin order. */
async function issueAll(node: Server, bots: string[], token: string, wanted: number): Promise<Stream[]> {
  const nextContact = createContactGenerator(2)
  const bearers: string[][] = []
  for (const botId of bots)
    bearers.push(await createApi(node, botId, token).issueTokens(wanted / bots.length, nextContact))
  return Array.from({ length: wanted }, (_, index) => {
    const bot = index % bots.length
    return { index, botId: bots[bot] ?? '', bearer: bearers[bot]?.[Math.floor(index / bots.length)] ?? '' }
  })
}
