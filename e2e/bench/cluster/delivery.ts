import { setTimeout as sleep } from 'node:timers/promises'
import { createApi } from '../api.ts'
import type { Server, StreamClients } from '../processes.ts'
import { monotonic } from '../streamClients.ts'
import { type Cost, divideCost, subtractCost } from './cost.ts'
import type { Deployment } from './deployment.ts'

/** How soon a stream on one node receives what happens on another node (with one node: on the same). Milliseconds. */
export interface Delivery {
  nodes: number
  /** Without NATS, nodes learn of changes only by their periodic sweep. */
  withNats: boolean
  messageMs: number[]
  revocationMs: number[]
  /** Cost of a message with its reply. */
  each: Cost
}

/** The open streams, and the processes that hold them. */
export interface OpenStreams {
  deployment: Deployment
  clients: StreamClients
  /** The open streams of each node. A stream that is ended is removed. */
  open: Stream[][]
}

export interface Stream {
  /** Position among all streams of the clients. */
  index: number
  botId: string
  bearer: string
}

const messages = 250
const revocations = 100
const perSecond = 25
/** Time until the last reply is written. */
const replyTimeMs = 4000
/** Time until the last stream has ended. */
const endTimeMs = 2500

/** `idle` is the cost of the same nodes for one second without activity. */
export async function measureDelivery(
  openStreams: OpenStreams,
  { nodes, withNats, idle }: { nodes: number; withNats: boolean; idle: Cost },
): Promise<Delivery> {
  const { deployment, clients, open } = openStreams
  const streams = (count: number, take: (own: Stream[], turn: number) => Stream | undefined) =>
    Array.from({ length: count }, (_, turn) => {
      const [home, elsewhere] = [turn % nodes, deployment.nodes[(turn + 1) % nodes] as Server]
      const stream = take(open[home] ?? [], Math.floor(turn / nodes)) as Stream
      return { ...stream, api: createApi(elsewhere, stream.botId, deployment.token) }
    })
  const addressed = streams(messages, (own, turn) => own[turn])
  const startedAt = monotonic()
  const { cost, result: messageMs } = await deployment.measure(nodes, () =>
    measureLatency(clients, 'event: message\n', addressed, replyTimeMs, ({ api, bearer }) => api.send(bearer)),
  )
  const seconds = (monotonic() - startedAt) / 1000
  const ended = streams(revocations, own => own.pop())
  const revocationMs = await measureLatency(clients, 'event: session.ended\n', ended, endTimeMs, ({ api, bearer }) =>
    api.revoke(bearer),
  )
  return {
    nodes,
    withNats,
    messageMs,
    revocationMs,
    each: divideCost(subtractCost(cost, divideCost(idle, 1 / seconds)), messages),
  }
}

/** Runs an action for each target at a steady rate and measures how long it takes until its stream receives the text. */
async function measureLatency<Target extends { index: number }>(
  clients: StreamClients,
  text: string,
  targets: Target[],
  afterwardsMs: number,
  action: (target: Target) => Promise<void>,
): Promise<number[]> {
  await clients.watchFor(text)
  const startedAt = await Promise.all(
    targets.map(async (target, turn) => {
      await sleep((turn / perSecond) * 1000)
      const at = monotonic()
      await action(target)
      return at
    }),
  )
  await sleep(afterwardsMs)
  const { at } = await clients.counts()
  return targets.map(({ index }, turn) => (at[index] ? at[index] - (startedAt[turn] ?? 0) : Number.POSITIVE_INFINITY))
}
