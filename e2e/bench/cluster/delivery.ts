import { setTimeout as sleep } from 'node:timers/promises'
import { createApi } from '../api.ts'
import type { Readers, Server } from '../processes.ts'
import { monotonic } from '../streamClients.ts'
import { type Cost, divided, without } from './cost.ts'
import type { Deployment } from './deployment.ts'

/** How soon streams of one node hear of what happens on another; on one node, on that. Milliseconds. */
export interface Delivery {
  nodes: number
  /** Else nodes find out by their sweep alone. */
  withNats: boolean
  messageMs: number[]
  revocationMs: number[]
  /** Of a message with its answer. */
  each: Cost
}

/** Streams that are open, and who does something about them. */
export interface Audience {
  deployment: Deployment
  readers: Readers
  /** By node, the streams open there; one that is ended is taken out. */
  open: Stream[][]
}

export interface Stream {
  /** Among all that the readers hold. */
  place: number
  botId: string
  bearer: string
}

const messages = 250
const revocations = 100
const perSecond = 25
/** The last answer is written then, and the last stream has ended. */
const answeredMs = 4000
const endedMs = 2500

/** `idle` is what the same nodes take for a second in which nothing happens. */
export async function measureDelivery(
  audience: Audience,
  { nodes, withNats, idle }: { nodes: number; withNats: boolean; idle: Cost },
): Promise<Delivery> {
  const { deployment, readers, open } = audience
  const streams = (count: number, take: (own: Stream[], turn: number) => Stream | undefined) =>
    Array.from({ length: count }, (_, turn) => {
      const [home, elsewhere] = [turn % nodes, deployment.nodes[(turn + 1) % nodes] as Server]
      const stream = take(open[home] ?? [], Math.floor(turn / nodes)) as Stream
      return { ...stream, api: createApi(elsewhere, stream.botId, deployment.token) }
    })
  const addressed = streams(messages, (own, turn) => own[turn])
  const began = monotonic()
  const { cost, result: messageMs } = await deployment.measure(nodes, () =>
    timed(readers, 'event: message\n', addressed, answeredMs, ({ api, bearer }) => api.send(bearer)),
  )
  const seconds = (monotonic() - began) / 1000
  const ended = streams(revocations, own => own.pop())
  const revocationMs = await timed(readers, 'event: session.ended\n', ended, endedMs, ({ api, bearer }) =>
    api.revoke(bearer),
  )
  return {
    nodes,
    withNats,
    messageMs,
    revocationMs,
    each: divided(without(cost, divided(idle, 1 / seconds)), messages),
  }
}

/** Does something about each at a steady rate, and tells how long it took until its stream heard of it. */
async function timed<Target extends { place: number }>(
  readers: Readers,
  word: string,
  targets: Target[],
  afterwardsMs: number,
  act: (target: Target) => Promise<void>,
): Promise<number[]> {
  await readers.listen(word)
  const began = await Promise.all(
    targets.map(async (target, turn) => {
      await sleep((turn / perSecond) * 1000)
      const at = monotonic()
      await act(target)
      return at
    }),
  )
  await sleep(afterwardsMs)
  const { at } = await readers.heard()
  return targets.map(({ place }, turn) => (at[place] ? at[place] - (began[turn] ?? 0) : Number.POSITIVE_INFINITY))
}
