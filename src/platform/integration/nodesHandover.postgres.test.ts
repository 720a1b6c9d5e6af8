import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { Message, WebhookEvent } from '../../contract/index.ts'
import { sweepMs } from '../platform.ts'
import { startNodes } from '../testing/testNodes.ts'
import { startTestServer, webhookSecret } from '../testing/testServer.ts'
import { dataOf } from '../testing/testTenants.ts'

const server = inject('postgres')
const minute = 60_000

describe('three nodes on one PostgreSQL', { timeout: 60_000 }, () => {
  it('hand over once, whoever is asked how often, and end it without the node that began it', async () => {
    const endpoint = await startTestServer(response => void response.writeHead(204).end())
    onTestFinished(endpoint.close)
    const { tenants, nodes, call } = await startNodes(server)
    const { ours, store, clock } = tenants
    const events = { url: endpoint.url, secret: webhookSecret }
    await store.updateBot(ours.bot.id, { handover: true, events })
    const token = await ours.visitorToken()
    const ask = async (node: number) => (await call(node, 'POST', '/widget/handover', { token })).status
    const eventsOf = async (node: number) =>
      ((await dataOf(await call(node, 'GET', '/widget/messages', { token }))) as Message[]).map(({ event }) => event)
    const delivered = async () => {
      clock.advance(sweepMs)
      const all = endpoint.requests.map(({ body }) => JSON.parse(body) as WebhookEvent)
      return all.filter(({ type }) => type === 'handover.requested').map(({ id }) => id)
    }

    expect(await Promise.all([0, 1, 2, 0, 1, 2].map(ask))).toEqual([204, 204, 204, 204, 204, 204])
    await expect.poll(delivered, { timeout: 20_000 }).toHaveLength(1)
    expect(await eventsOf(2)).toEqual(['handover_requested'])

    await nodes[0]?.close()
    clock.advance(30 * minute)
    const ended = async () => {
      clock.advance(sweepMs)
      return eventsOf(1)
    }
    await expect.poll(ended, { timeout: 20_000 }).toEqual(['handover_requested', 'handover_expired'])
    // Each of the nodes that are left has looked again.
    for (let times = 0; times < 3; times++) expect(await ended()).toHaveLength(2)

    expect([await ask(1), await ask(2)]).toEqual([204, 204])
    await expect.poll(delivered, { timeout: 20_000 }).toHaveLength(2)
    expect(new Set(await delivered()).size).toBe(2)
    const message = { id: randomUUID(), text: 'Hello?' }
    expect((await call(1, 'POST', '/widget/messages', { token, json: message })).status).toBe(201)
    expect(await eventsOf(2)).toEqual(['handover_requested', 'handover_expired', 'handover_requested', undefined])
  })
})
