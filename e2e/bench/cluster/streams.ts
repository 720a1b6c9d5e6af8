import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, streamRequest } from '../api.ts'
import { createContactGenerator } from '../contactGenerator.ts'
import { median } from '../figures.ts'
import { type Server, startReaders, usageOf } from '../processes.ts'
import { type Cost, combined, divided, without } from './cost.ts'
import { type Audience, type Delivery, measureDelivery, type Stream } from './delivery.ts'
import { type Deployment, sizes } from './deployment.ts'

/** What streams cost, and how soon they hear. */
export interface StreamFigures {
  /** A second of a node without streams. */
  idle: Cost
  /** A token for a contact; a stream that is opened with it. */
  issuing: Cost
  opening: Cost
  /** A second of a thousand open streams, while nothing is said, at each number of nodes. */
  watching: Cost[]
  /** Resident bytes of a node without streams, and those that a thousand add. */
  residentAlone: number
  resident: number
  deliveries: Delivery[]
}

const streamsOfNode = 1000
const idleSeconds = 10
/** So that each stream has its sign of life once. */
const watchedSeconds = 15

/** Opens a thousand streams on each of one node, of two, of four, with NATS; then sees what remains without. */
export async function measureStreams(deployment: Deployment): Promise<StreamFigures> {
  const { nodes, bots, token, measure } = deployment
  const readers = startReaders()
  await deployment.settle()
  const nothing = await measure(nodes.length, () => sleep(idleSeconds * 1000))
  const idle = divided(nothing.cost, idleSeconds * nodes.length)
  const wanted = nodes.length * streamsOfNode
  const issuing = await measure(1, () => issueAll(nodes[0] as Server, bots, token, wanted))
  await deployment.settle()

  const audience: Audience = { deployment, readers, open: [] }
  const openStreams = async ({ port }: Server): Promise<void> => {
    const streams = issuing.result.splice(0, streamsOfNode)
    audience.open.push(streams)
    await readers.open(
      port,
      streams.map(({ bearer, botId }) => streamRequest(bearer, botId)),
    )
  }
  const opened: Cost[] = []
  const watched: Cost[] = []
  const deliveries: Delivery[] = []
  const residentBefore: number[] = []
  const resident: number[] = []
  for (const many of sizes) {
    const fresh = nodes.slice(audience.open.length, many)
    const before = fresh.map(node => usageOf(node).resident)
    residentBefore.push(...before)
    const opening = await measure(many, async () => {
      for (const node of fresh) await openStreams(node)
    })
    opened.push(divided(opening.cost, fresh.length * streamsOfNode))
    await sleep(3000)
    resident.push(...fresh.map((node, index) => usageOf(node).resident - (before[index] ?? 0)))
    const silence = await measure(many, () => sleep(watchedSeconds * 1000))
    watched.push(divided(silence.cost, watchedSeconds))
    deliveries.push(await measureDelivery(audience, { nodes: many, withNats: true, idle: watched.at(-1) as Cost }))
  }
  await deployment.killNats()
  for (const [index, many] of sizes.entries())
    if (many > 1)
      deliveries.push(await measureDelivery(audience, { nodes: many, withNats: false, idle: watched[index] as Cost }))
  await readers.stop()
  return {
    idle,
    issuing: divided(issuing.cost, wanted),
    opening: combined((...costs) => median(costs), ...opened),
    // All nodes ask PostgreSQL whether anything is due, those without streams too.
    watching: watched.map((cost, index) => {
      const many = sizes[index] as number
      const asking = { ...divided(idle, 1 / many), postgresMs: idle.postgresMs * nodes.length }
      return divided(without(cost, asking), many)
    }),
    residentAlone: median(residentBefore),
    resident: median(resident),
    deliveries,
  }
}

/** Tokens of contacts of all bots, of one bot after the other. */
async function issueAll(node: Server, bots: string[], token: string, wanted: number): Promise<Stream[]> {
  const nextContact = createContactGenerator(2)
  const bearers: string[][] = []
  for (const botId of bots)
    bearers.push(await createApi(node, botId, token).issueTokens(wanted / bots.length, nextContact))
  return Array.from({ length: wanted }, (_, place) => {
    const bot = place % bots.length
    return { place, botId: bots[bot] ?? '', bearer: bearers[bot]?.[Math.floor(place / bots.length)] ?? '' }
  })
}
