import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { Bus } from '../bus/bus.ts'
import { createMemoryBus } from '../bus/memory.ts'
import { createPlatform } from '../platform.ts'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { createStoreDatabase } from '../testing/postgresServer.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { advanceUntil, createTestTenants, readEvents } from '../testing/testTenants.ts'

const server = inject('postgres')

/** Three nodes on one database: the first answers, the visitor's stream is on the second, the request reaches the third. */
async function startNodes(busOf: () => Bus) {
  const url = await createStoreDatabase(server)
  const scripted = createScriptedResponder()
  const stores = [1, 2, 3].map(() => createPostgresStore({ url }))
  const [first, second, third] = (await Promise.all(stores)) as [
    Awaited<(typeof stores)[0]>,
    Awaited<(typeof stores)[0]>,
    Awaited<(typeof stores)[0]>,
  ]
  const { leaseTurns } = first
  const replyIds: string[] = []
  first.leaseTurns = async (...words) => {
    const turns = await leaseTurns(...words)
    replyIds.push(...turns.map(({ replyId }) => replyId))
    return turns
  }
  const one = await createTestTenants({ responder: scripted.responder, store: first, bus: busOf() })
  const others = [second, third].map(store => createPlatform({ store, bus: busOf(), clock: one.clock, rateLimit: 0 }))
  onTestFinished(async () => {
    await one.close()
    for (const node of others) await node.close()
    for (const store of [second, third]) await store.close()
  })
  const token = await one.ours.visitorToken()
  const call = (node: (typeof others)[number] | undefined, method: string, path: string, body?: object) =>
    node?.fetch(
      new Request(`http://natter.test/v1/bots/${one.ours.bot.id}/widget${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: body ? JSON.stringify(body) : null,
      }),
    ) as Promise<Response>
  const events = readEvents(await call(others[0], 'GET', '/events?after=0'))
  await one.ours.send(token, 'How do I return it?')
  await scripted.asked(0)
  await scripted.say({ text: 'First, open the ' })
  const reply = async () => {
    for (;;) {
      const { data } = await events.nextOf('message')
      if (data['author'] === 'bot') return data
    }
  }
  const stop = async () => call(others[1], 'POST', '/stop', { id: replyIds[0] })
  return { one, events, reply, scripted, stop }
}

describe('three nodes on one PostgreSQL', { timeout: 60_000 }, () => {
  it('stop a reply that another node writes, at once with a bus', async () => {
    const bus = createMemoryBus()
    const { events, reply, scripted, stop } = await startNodes(() => bus)
    await events.nextOf('message.delta')
    expect((await stop()).status).toBe(204)
    expect(await reply()).toMatchObject({ seq: 2, text: 'First, open the ' })
    expect(scripted.signals[0]?.aborted).toBe(true)
  })

  it('stop it within seconds without a bus, when the node extends its lease', async () => {
    const { one, reply, scripted, stop } = await startNodes(createMemoryBus)
    expect((await stop()).status).toBe(204)
    expect(await advanceUntil(one.clock, 500, reply())).toMatchObject({ seq: 2, text: 'First, open the ' })
    expect(scripted.signals[0]?.aborted).toBe(true)
  })
})
