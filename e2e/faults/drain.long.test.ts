import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDatabase, startPostgres } from '../../src/platform/testing/postgresServer.ts'
import { report } from '../../src/testScale.ts'
import { createSseParser } from '../../src/widget/api/eventStream.ts'
import { waitUntilIdle } from './consistency.ts'
import { createDeployment, type Deployment } from './deployment.ts'
import { answers, words } from './ledger.ts'

const visitors = 40
const messagesPerVisitor = 6

/** Polls `/readyz` like a load balancer, and chooses among the ready nodes. */
function watchReadiness(apis: string[]) {
  const isReady = async (api: string): Promise<boolean> =>
    (await fetch(new URL('/readyz', api)).catch(() => undefined))?.status === 200
  let ready = apis
  const timer = setInterval(async () => {
    const answers = await Promise.all(apis.map(isReady))
    const now = apis.filter((_, node) => answers[node])
    if (now.length > 0) ready = now
  }, 200)
  onTestFinished(() => clearInterval(timer))
  return { isReady, choose: () => ready[randomInt(ready.length)] ?? '' }
}

/** Opens an event stream and resumes it on another node whenever it ends. */
function openResumingStream(token: string, first: string, choose: () => string) {
  const [seqs, endedAt, abortController]: [number[], number[], AbortController] = [[], [], new AbortController()]
  onTestFinished(() => abortController.abort())
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const parse = createSseParser(({ event, data }) => {
    if (event === 'message') seqs.push(JSON.parse(data).seq)
  })
  const run = async () => {
    for (let api = first; ; api = choose()) {
      const response = await fetch(`${api}/widget/events?after=${seqs.at(-1) ?? 0}`, {
        headers: { authorization: `Bearer ${token}` },
        signal: abortController.signal,
      })
      open()
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) parse(chunk)
      endedAt.push(performance.now())
    }
  }
  run().catch(() => {})
  return { token, seqs, endedAt, opened }
}

async function sendMessages(deployment: Deployment, token: string, choose: () => string): Promise<void> {
  for (let count = 0; count < messagesPerVisitor; count++) {
    const json = { id: randomUUID(), text: words[count] }
    const response = await deployment.call('POST', '/widget/messages', { token, json, api: choose() })
    expect(response.status).toBe(201)
    await pause(randomInt(1500))
  }
}

describe('one of three nodes that receives SIGTERM', () => {
  it('moves its streams to the others, a few at a time, and nobody misses a message or receives one twice', async () => {
    const postgres = await startPostgres()
    onTestFinished(postgres.remove)
    const deployment = await createDeployment({
      postgres: await createDatabase(postgres.url),
      nodes: 3,
      answers,
    })
    onTestFinished(deployment.remove)
    const environment = { NATTER_DRAIN: '5', NATTER_LOG_LEVEL: 'error' }
    const [leaving] = await Promise.all([0, 1, 2].map(node => deployment.serve(environment, node)))
    const [api = ''] = deployment.apis
    const { isReady, choose } = watchReadiness(deployment.apis)
    const streams = await Promise.all(
      Array.from({ length: visitors }, async () => {
        const session = await deployment.call('POST', '/widget/sessions', { token: '' })
        const { data } = (await session.json()) as { data: { token: string } }
        return openResumingStream(data.token, api, choose)
      }),
    )
    await Promise.all(streams.map(({ opened }) => opened))
    const sending = Promise.all(streams.map(({ token }) => sendMessages(deployment, token, choose)))
    await pause(1000)

    const started = performance.now()
    const stopped = leaving?.stop('SIGTERM')
    await expect.poll(() => isReady(api), { timeout: 4000 }).toBe(false)
    const { token = '' } = streams[0] ?? {}
    expect((await deployment.call('GET', '/widget/session', { token, api })).status).toBe(200)
    await stopped
    const tookMs = performance.now() - started
    expect(await leaving?.ended).toBe(0)
    expect(tookMs).toBeLessThan(10_000)

    await sending
    await waitUntilIdle(deployment.database)
    for (const stream of streams) {
      const response = await deployment.call('GET', '/widget/session', { token: stream.token, api: choose() })
      const { conversation } = ((await response.json()) as { data: { conversation: { lastSeq: number } } }).data
      expect(conversation.lastSeq).toBeGreaterThan(messagesPerVisitor)
      await expect.poll(() => stream.seqs.length).toBeGreaterThanOrEqual(conversation.lastSeq)
      expect(stream.seqs).toEqual(Array.from({ length: conversation.lastSeq }, (_, index) => index + 1))
    }
    // Each stream has moved, but only after the load balancer had time to notice.
    const moves = streams.map(({ endedAt }) => endedAt.map(at => Math.round(at - started)))
    for (const { length } of moves) expect(length).toBeGreaterThan(0)
    const at = moves.flat().sort((a, b) => a - b)
    expect(at[0]).toBeGreaterThan(1500)
    for (const ms of at) expect(at.filter(other => Math.abs(other - ms) < 200).length).toBeLessThan(visitors / 2)
    report(
      `${visitors} streams moved between ${at[0]} and ${at.at(-1)} ms after SIGTERM; gone after ${Math.round(tookMs)} ms`,
    )
  })
})
