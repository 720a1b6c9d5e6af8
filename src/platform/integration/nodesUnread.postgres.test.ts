import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { WebhookEvent } from '../../contract/index.ts'
import { presenceMs } from '../domain/unread.ts'
import { createPlatform, type Platform } from '../platform.ts'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import type { Store } from '../store/store.ts'
import { createStoreDatabase } from '../testing/postgresServer.ts'
import { startTestServer, webhookSecret } from '../testing/testServer.ts'
import { advanceUntil, createTestTenants, type ManualClock, readEvents } from '../testing/testTenants.ts'

const server = inject('postgres')
const minute = 60_000

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

describe('three nodes on one PostgreSQL', { timeout: 60_000 }, () => {
  it('tell once of a contact with unread messages, and only when no node has a stream, also if its node was killed', async () => {
    const url = await createStoreDatabase(server)
    const webhook = await startTestServer(response => void response.end())
    const stores: Store[] = await Promise.all([1, 2, 3].map(() => createPostgresStore({ url })))
    const [first, second, third] = stores as [Store, Store, Store]
    const one = await createTestTenants({ store: first, metrics: 'all' })
    const nodes = [second, third].map(store => createPlatform({ store, clock: one.clock, rateLimit: 0 }))
    onTestFinished(async () => {
      await one.close()
      for (const node of nodes) await node.close()
      for (const store of [second, third]) await store.close()
      await webhook.close()
    })
    await first.updateBot(one.ours.bot.id, { events: { url: webhook.url, secret: webhookSecret } })
    const { id } = await one.ours.createContact()
    const token = await one.ours.contactToken(id)
    const watch = async (node: Platform | undefined) => {
      const path = `http://natter.test/v1/bots/${one.ours.bot.id}/widget/events`
      return readEvents(
        (await node?.fetch(new Request(path, { headers: { authorization: `Bearer ${token}` } }))) as Response,
      )
    }
    // An event may come twice.
    const received = () => {
      const events = webhook.requests.map(({ body }) => JSON.parse(body) as WebhookEvent)
      return [...new Map(events.map(event => [event.id, event])).values()]
    }
    const write = () =>
      one.ours.call('POST', `/contacts/${id}/messages`, { json: { id: crypto.randomUUID(), text: 'private' } })

    const pass = createRounds(one.clock, stores)
    await watch(nodes[0])
    await write()
    await pass(15 * minute)
    expect(received()).toEqual([])
    // Nobody records any more that the contact has a stream, as if the node was killed.
    second.recordPresence = async () => {}
    second.enqueueUnreadNotices = async () => false
    await pass(4 * minute, [first, third])
    await advanceUntil(one.clock, 100, webhook.received(1))
    expect(received()).toMatchObject([{ type: 'message.unread', data: { contact: { id }, unread: 1 } }])
    expect(JSON.stringify(received())).not.toContain('private')
    await write()
    await pass(15 * minute, [first, third])
    expect(received()).toHaveLength(1)
  })
})
