import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { WebhookEvent } from '../../contract/index.ts'
import { sweepMs } from '../platform.ts'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { createStoreDatabase, execute } from '../testing/postgresServer.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { startNodes } from '../testing/testNodes.ts'
import { startTestServer, webhookSecret } from '../testing/testServer.ts'
import { createManualClock, createTestTenants, dataOf, outcomeOf } from '../testing/testTenants.ts'

const server = inject('postgres')
const three = [0, 1, 2]
const minute = 60_000

describe('three nodes on one PostgreSQL', { timeout: 60_000 }, () => {
  it('handle requests with one key once on all nodes, and return the same response, at once and later', async () => {
    const { tenants, database, call } = await startNodes(server)
    const replays = (responses: Response[]) =>
      responses.map(({ headers }) => headers.get('idempotent-replayed')).filter(replayed => replayed === 'true').length
    const contact = await tenants.ours.createContact()
    for (let round = 0; round < 10; round++) {
      const headers = { 'idempotency-key': `key-${round}` }
      const json = { name: 'Ada', email: `ada-${round}@example.com` }
      const created = await Promise.all(three.map(node => call(node, 'PUT', '/contacts', { json, headers })))
      expect(created.map(({ status }) => status)).toEqual([201, 201, 201])
      expect(replays(created)).toBe(2)
      const later = await call(round, 'PUT', '/contacts', { json, headers })
      const ids = await Promise.all([...created, later].map(async response => JSON.stringify(await dataOf(response))))
      expect(new Set(ids).size).toBe(1)
      const other = { ...json, name: 'Bob' }
      const reused = await call(round + 1, 'PUT', '/contacts', { json: other, headers })
      expect(await outcomeOf(reused)).toBe('422 idempotency_key_reused')

      const entries = { data: [json, { name: 'New', email: `new-${round}@example.com` }] }
      const upserted = await Promise.all(
        three.map(node => call(node, 'PATCH', '/contacts', { json: entries, headers })),
      )
      expect(replays(upserted)).toBe(2)
      expect(new Set(await Promise.all(upserted.map(response => response.text()))).size).toBe(1)

      const issued = await Promise.all(
        three.map(node => call(node, 'PUT', '/auth/contacts', { json: { id: contact.id }, headers })),
      )
      const tokens = await Promise.all(
        issued.map(async response => ((await dataOf(response)) as { token: string }).token),
      )
      const open = tokens.map(async (token, node) => (await call(node + 1, 'GET', '/widget/session', { token })).status)
      expect((await Promise.all(open)).sort()).toEqual([200, 401, 401])
    }
    const [counted] = await execute(database, 'SELECT count(*)::int AS contacts FROM contacts')
    expect(counted).toEqual({ contacts: 21 })
  })

  it('answer a conversation one turn at a time, on whichever node its messages arrive', async () => {
    const scripted = createScriptedResponder()
    const { tenants, call } = await startNodes(server, { responder: scripted.responder })
    const token = await tenants.ours.visitorToken()
    const send = async (node: number, text: string) => {
      const response = await call(node, 'POST', '/widget/messages', { token, json: { id: randomUUID(), text } })
      expect(response.status).toBe(201)
    }
    await send(0, 'first')
    await scripted.asked(0)
    const meanwhile = Array.from({ length: 9 }, (_, index) => `meanwhile ${index}`)
    for (const [node, text] of meanwhile.entries()) await send(node, text)
    // All nodes have looked for turns since then.
    tenants.clock.advance(sweepMs)
    await Promise.all(three.map(node => call(node, 'GET', '/widget/session', { token })))
    expect(scripted.questions).toHaveLength(1)
    await scripted.say({ text: 'one' })
    await scripted.say('end')
    const second = await scripted.asked(1)
    expect(second?.messages.filter(({ author }) => author === 'visitor').map(({ text }) => text)).toEqual([
      'first',
      ...meanwhile,
    ])
    await scripted.say({ text: 'two' })
    await scripted.say('end')
    const history = async () =>
      (await dataOf(await call(2, 'GET', '/widget/messages', { token }))) as { author: string; text: string }[]
    const answers = async () => (await history()).filter(({ author }) => author === 'bot').map(({ text }) => text)
    await expect.poll(answers).toEqual(['one', 'two'])
    expect(scripted.questions).toHaveLength(2)
  })

  it('deliver each event to the webhook once, however many nodes look for it', async () => {
    const held = Promise.withResolvers<void>()
    const endpoint = await startTestServer(async response => {
      await held.promise
      response.writeHead(204).end()
    })
    onTestFinished(endpoint.close)
    const { tenants, database, call } = await startNodes(server)
    await tenants.store.updateBot(tenants.ours.bot.id, { events: { url: endpoint.url, secret: webhookSecret } })
    const ids = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const id = randomUUID()
        await call(index, 'POST', '/widget/messages', {
          token: await tenants.ours.visitorToken(),
          json: { id, text: 'Hello' },
        })
        return id
      }),
    )
    await endpoint.received(1)
    // While the first deliveries are running, all nodes look again.
    for (let times = 0; times < 5; times++) tenants.clock.advance(sweepMs)
    held.resolve()
    const left = async () => {
      tenants.clock.advance(sweepMs)
      return execute(database, 'SELECT id FROM deliveries')
    }
    await expect.poll(left, { timeout: 20_000 }).toEqual([])
    const events = endpoint.requests.map(({ body }) => JSON.parse(body) as WebhookEvent)
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    const deliveredIds = events.flatMap(({ type, data }) => (type === 'message.created' ? [data.message.id] : []))
    expect(deliveredIds.sort()).toEqual(ids.sort())
    expect(events).toHaveLength(24)
  })
})

describe('a node on a PostgreSQL', () => {
  it("reports when its clock differs from the database's, and when it no longer does", async () => {
    const store = await createPostgresStore({ url: await createStoreDatabase(server) })
    const clock = createManualClock(Date.now() + minute)
    const tenants = await createTestTenants({ store, clock })
    onTestFinished(() => tenants.close().then(store.close))
    const clockLines = () =>
      tenants.lines.filter(line => line.includes('clock')).map(line => JSON.parse(line) as object)
    const near = (ms: number) => expect.closeTo(ms, -4)
    // The first check is due at once.
    clock.advance(0)
    await expect.poll(clockLines).toEqual([expect.objectContaining({ aheadMs: near(minute), level: 40 })])
    for (const [aheadMs, line] of [
      [0, { msg: expect.stringContaining('again'), level: 30 }],
      [-minute, { aheadMs: near(-minute), level: 40 }],
    ] as const) {
      clock.jump(Date.now() + aheadMs - clock.now() - minute)
      clock.advance(minute)
      await expect.poll(() => clockLines().at(-1)).toMatchObject(line)
    }
    expect(clockLines()).toHaveLength(3)
  })
})
