import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it } from 'vitest'
import type { Message, WebhookEvent } from '../../contract/index.ts'
import { createMemoryBus } from '../bus/memory.ts'
import { presenceMs } from '../domain/unread.ts'
import { sweepMs } from '../platform.ts'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import type { Store } from '../store/store.ts'
import { createStoreDatabase, execute } from '../testing/postgresServer.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { startNodes, type TestNodes } from '../testing/testNodes.ts'
import { startTestServer, webhookSecret } from '../testing/testServer.ts'
import {
  advanceUntil,
  createManualClock,
  createTestTenants,
  dataOf,
  type ManualClock,
  outcomeOf,
  readEvents,
} from '../testing/testTenants.ts'

const server = inject('postgres')
const three = [0, 1, 2]
const minute = 60_000
const newMessage = (text: string) => ({ id: randomUUID(), text })
const messagesOf = ({ call }: TestNodes, node: number, token: string) =>
  dataOf<Message[]>(call(node, 'GET', '/widget/messages', { token }))

/** An events webhook of the nodes' bot. `events` are what it has received, each once. */
async function startWebhook({ tenants: { store, ours } }: TestNodes, arrival: Promise<unknown> = Promise.resolve()) {
  const endpoint = await startTestServer(async response => {
    await arrival
    response.writeHead(204).end()
  })
  await store.updateBot(ours.bot.id, { events: { url: endpoint.url, secret: webhookSecret } })
  const all = () => endpoint.requests.map(({ body }) => JSON.parse(body) as WebhookEvent)
  return { endpoint, all, events: () => [...new Map(all().map(event => [event.id, event])).values()] }
}

describe('three nodes on one PostgreSQL', () => {
  it('handle requests with one key once on all nodes, and return the same response, at once and later', async () => {
    const { tenants, database, call } = await startNodes(server)
    const replays = (responses: Response[]) =>
      responses.map(({ headers }) => headers.get('idempotent-replayed')).filter(replayed => replayed === 'true').length
    const contact = await tenants.ours.createContact()
    for (let round = 0; round < 10; round++) {
      const headers = { 'idempotency-key': `key-${round}` }
      const onAll = (method: string, path: string, json: object) =>
        Promise.all(three.map(node => call(node, method, path, { json, headers })))
      const json = { name: 'Ada', email: `ada-${round}@example.com` }
      const created = await onAll('PUT', '/contacts', json)
      expect(created.map(({ status }) => status)).toEqual([201, 201, 201])
      expect(replays(created)).toBe(2)
      const later = await call(round, 'PUT', '/contacts', { json, headers })
      const ids = await Promise.all([...created, later].map(async response => JSON.stringify(await dataOf(response))))
      expect(new Set(ids).size).toBe(1)
      const reused = await call(round + 1, 'PUT', '/contacts', { json: { ...json, name: 'Bob' }, headers })
      expect(await outcomeOf(reused)).toBe('422 idempotency_key_reused')

      const entries = [json, { name: 'New', email: `new-${round}@example.com` }]
      const upserted = await onAll('PATCH', '/contacts', { data: entries })
      expect(replays(upserted)).toBe(2)
      expect(new Set(await Promise.all(upserted.map(response => response.text()))).size).toBe(1)

      const issued = await onAll('PUT', '/auth/contacts', { id: contact.id })
      const open = issued.map(async (response, node) => {
        const { token } = await dataOf<{ token: string }>(response)
        return (await call(node + 1, 'GET', '/widget/session', { token })).status
      })
      expect((await Promise.all(open)).sort()).toEqual([200, 401, 401])
    }
    const [counted] = await execute(database, 'SELECT count(*)::int AS contacts FROM contacts')
    expect(counted).toEqual({ contacts: 21 })
  })

  it('answer a conversation one turn at a time, on whichever node its messages arrive', async () => {
    const scripted = createScriptedResponder()
    const nodes = await startNodes(server, { responder: scripted.responder })
    const { tenants, call } = nodes
    const token = await tenants.ours.visitorToken()
    const send = async (node: number, text: string) =>
      expect((await call(node, 'POST', '/widget/messages', { token, json: newMessage(text) })).status).toBe(201)
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
    const asked = second?.messages.filter(({ author }) => author === 'visitor').map(({ text }) => text)
    expect(asked).toEqual(['first', ...meanwhile])
    await scripted.say({ text: 'two' })
    await scripted.say('end')
    const answers = async () =>
      (await messagesOf(nodes, 2, token)).filter(({ author }) => author === 'bot').map(({ text }) => text)
    await expect.poll(answers).toEqual(['one', 'two'])
    expect(scripted.questions).toHaveLength(2)
  })

  it('deliver each event to the webhook once, however many nodes look for it', async () => {
    const held = Promise.withResolvers<void>()
    const nodes = await startNodes(server)
    const { tenants, database, call } = nodes
    const webhook = await startWebhook(nodes, held.promise)
    const ids = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const [token, json] = [await tenants.ours.visitorToken(), newMessage('Hello')]
        await call(index, 'POST', '/widget/messages', { token, json })
        return json.id
      }),
    )
    await webhook.endpoint.received(1)
    // While the first deliveries are running, all nodes look again.
    for (let times = 0; times < 5; times++) tenants.clock.advance(sweepMs)
    held.resolve()
    const left = async () => {
      tenants.clock.advance(sweepMs)
      return execute(database, 'SELECT id FROM deliveries')
    }
    await expect.poll(left, { timeout: 20_000 }).toEqual([])
    expect(webhook.all()).toHaveLength(24)
    expect(webhook.events()).toHaveLength(24)
    const delivered = webhook.all().flatMap(({ type, data }) => (type === 'message.created' ? [data.message.id] : []))
    expect(delivered.sort()).toEqual(ids.sort())
  })

  it('allow a responder as many replies per minute as one node would', async () => {
    const turnsPerMinute = 12
    const responder = {
      async *answer() {
        yield { text: 'Yes?' }
      },
    }
    const { tenants, database, call } = await startNodes(server, {
      rateLimit: 3600,
      limits: { turnsPerMinute },
      responder,
    })
    const asking = Array.from({ length: turnsPerMinute + 6 }, async (_, index) => {
      const token = await tenants.ours.visitorToken()
      await call(index, 'POST', '/widget/messages', { token, json: newMessage('Hello?') })
    })
    await Promise.all(asking)
    const answers = () =>
      execute(
        database,
        `SELECT author, count(*)::int AS count FROM messages WHERE author <> 'visitor' GROUP BY author ORDER BY author`,
      )
    const all = [
      { author: 'bot', count: turnsPerMinute },
      { author: 'system', count: 6 },
    ]
    await expect.poll(answers, { timeout: 20_000 }).toEqual(all)
  })

  it('take a removed message out of the streams of all nodes within a sweep, without a bus', async () => {
    const { tenants, call } = await startNodes(server)
    const { id: contactId } = await tenants.ours.createContact()
    const token = await tenants.ours.contactToken(contactId)
    const json = newMessage('hunter2')
    await call(0, 'POST', '/widget/messages', { token, json })
    const position = { nonce: 'mZk3xT0qVb8Lr2Nw6YcPdA', after: 1, revision: 0 }
    const streams = await Promise.all(
      three.map(async node => readEvents(await call(node, 'POST', '/widget/events/stream', { token, json: position }))),
    )
    expect((await call(1, 'DELETE', `/contacts/${contactId}/messages/${json.id}`)).status).toBe(204)
    for (const events of streams) {
      const { data } = await advanceUntil(tenants.clock, sweepMs, events.nextOf('message.changed'))
      expect(data).toMatchObject({ revision: 1, message: { id: json.id, text: '' } })
    }
    expect(sweepMs).toBeLessThan(1000)
    for (const node of three) {
      expect(await (await call(node, 'GET', '/widget/messages', { token })).text()).not.toContain('hunter2')
      expect((await call(node, 'POST', '/widget/messages', { token, json })).status).toBe(200)
    }
    for (const events of streams) await events.cancel()
  })

  it('show a file to the visitor that another node has received, in a message that a third one has', async () => {
    const nodes = await startNodes(server)
    const { tenants, call } = nodes
    const token = await tenants.ours.visitorToken()
    const events = readEvents(await call(2, 'GET', '/widget/events', { token }))
    const [id, body] = [randomUUID(), `${'x'.repeat(1024 * 1024)}\n`]
    expect((await call(0, 'PUT', `/widget/attachments/${id}`, { token, body })).status).toBe(201)
    const json = { id: randomUUID(), attachments: [{ id, name: 'a.txt' }] }
    expect((await call(1, 'POST', '/widget/messages', { token, json })).status).toBe(201)
    tenants.clock.advance(sweepMs)
    const { data } = await events.nextOf('message')
    expect(data).toMatchObject({ id: json.id, text: '', attachments: [{ id, size: body.length }] })
    expect((await messagesOf(nodes, 2, token))[0]?.attachments).toEqual(data['attachments'])
    expect(await (await call(2, 'GET', `/widget/attachments/${id}`, { token })).text()).toBe(body)
    await events.cancel()
  })

  it('hand over once, whoever is asked how often, and end it without the node that began it', async () => {
    const started = await startNodes(server)
    const { tenants, nodes, call } = started
    const { ours, store, clock } = tenants
    const webhook = await startWebhook(started)
    await store.updateBot(ours.bot.id, { handover: true })
    const token = await ours.visitorToken()
    const ask = async (node: number) => (await call(node, 'POST', '/widget/handover', { token })).status
    const eventsOf = async (node: number) => (await messagesOf(started, node, token)).map(({ event }) => event)
    const delivered = async () => {
      clock.advance(sweepMs)
      return webhook.all().flatMap(({ type, id }) => (type === 'handover.requested' ? [id] : []))
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
    expect((await call(1, 'POST', '/widget/messages', { token, json: newMessage('Hello?') })).status).toBe(201)
    expect(await eventsOf(2)).toEqual(['handover_requested', 'handover_expired', 'handover_requested', undefined])
  })

  it.each([
    { when: 'at once with a bus', bus: createMemoryBus() },
    { when: 'within seconds without a bus, when the node extends its lease', bus: undefined },
  ])('stop a reply that another node writes, $when', async ({ bus }) => {
    const { responder, signals, asked, say } = createScriptedResponder()
    const { tenants, call } = await startNodes(server, { responder, ...(bus && { bus }) })
    const { store, ours, clock } = tenants
    const replyIds: string[] = []
    const { leaseTurns } = store
    store.leaseTurns = async (...args) => {
      const turns = await leaseTurns(...args)
      replyIds.push(...turns.map(({ replyId }) => replyId))
      return turns
    }
    const token = await ours.visitorToken()
    const events = readEvents(await call(1, 'GET', '/widget/events?after=0', { token }))
    await ours.send(token, 'How do I return it?')
    await asked(0)
    await say({ text: 'First, open the ' })
    if (bus) await events.nextOf('message.delta')
    expect((await call(2, 'POST', '/widget/stop', { token, json: { id: replyIds[0] } })).status).toBe(204)
    const reply = async () => {
      for (;;) {
        const { data } = await events.nextOf('message')
        if (data['author'] === 'bot') return data
      }
    }
    const stored = bus ? reply() : advanceUntil(clock, 500, reply())
    expect(await stored).toMatchObject({ seq: 2, text: 'First, open the ' })
    expect(signals[0]?.aborted).toBe(true)
  })

  it('tell once of a contact with unread messages, and only when no node has a stream, also if its node was killed', async () => {
    const nodes = await startNodes(server)
    const { tenants, stores, call } = nodes
    const { ours, clock } = tenants
    const [first, second, third] = stores
    const webhook = await startWebhook(nodes)
    const { id } = await ours.createContact()
    const token = await ours.contactToken(id)
    const write = () => ours.call('POST', `/contacts/${id}/messages`, { json: newMessage('private') })

    const pass = createRounds(clock, stores)
    await call(1, 'GET', '/widget/events', { token })
    await write()
    await pass(15 * minute)
    expect(webhook.events()).toEqual([])
    // Nobody records any more that the contact has a stream, as if the node was killed.
    second.recordPresence = async () => {}
    second.enqueueUnreadNotices = async () => false
    await pass(4 * minute, [first, third])
    await advanceUntil(clock, 100, webhook.endpoint.received(1))
    expect(webhook.events()).toMatchObject([{ type: 'message.unread', data: { contact: { id }, unread: 1 } }])
    expect(JSON.stringify(webhook.events())).not.toContain('private')
    await write()
    await pass(15 * minute, [first, third])
    expect(webhook.events()).toHaveLength(1)
  })
})

/** Passes time in rounds, in each of which all nodes record presence and tell of unread messages. */
function createRounds(clock: ManualClock, stores: Store[]) {
  let onRound = (_: Store): void => {}
  for (const store of stores) {
    // The database's clock is the tests'.
    store.now = async () => clock.now()
    const { recordPresence } = store
    store.recordPresence = async (conversationIds, at) => {
      await recordPresence(conversationIds, at)
      onRound(store)
    }
  }
  return async (ms: number, living = stores) => {
    for (let passed = 0; passed < ms; passed += presenceMs) {
      const waiting = new Set(living)
      const done = Promise.withResolvers<void>()
      onRound = store => {
        if (waiting.delete(store) && waiting.size === 0) done.resolve()
      }
      clock.advance(presenceMs)
      await done.promise
      // Each node sets its timer for the next round.
      await new Promise(setImmediate)
    }
  }
}

it("a node on a PostgreSQL reports when its clock differs from the database's, and when it no longer does", async () => {
  const store = await createPostgresStore({ url: await createStoreDatabase(server) })
  const clock = createManualClock(Date.now() + minute)
  const { lines } = await createTestTenants({ store, clock })
  const clockLines = () => lines.filter(line => line.includes('clock')).map(line => JSON.parse(line) as object)
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
