import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { createNatsBus } from '../bus/nats.ts'
import { type Platform, type PlatformOptions, sweepMs } from '../platform.ts'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { type BusPair, waitUntilDelivered } from '../testing/busSuite.ts'
import { serve } from '../testing/cliProcess.ts'
import { findNats, startNats } from '../testing/natsServer.ts'
import { createStoreDatabase } from '../testing/postgresServer.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { advanceUntil, createTestBot, createTestTenants, outcomeOf } from '../testing/testTenants.ts'

const server = inject('postgres')
const binary = findNats()
const nats = binary ? await startNats(binary) : undefined
afterAll(() => nats?.kill())

/** Two nodes whose clocks stand still, so neither sweeps the store until a test advances the time. */
async function startNodes(options: Pick<PlatformOptions, 'responder'> = {}) {
  const database = await createStoreDatabase(server)
  const busStatuses: string[] = []
  const openBus = () =>
    createNatsBus({
      url: nats?.url ?? '',
      onConnected: () => busStatuses.push('connected'),
      onLost: () => busStatuses.push('lost'),
    })
  const ends: BusPair = { from: await openBus(), to: await openBus() }
  const [first, second] = [await createPostgresStore({ url: database }), await createPostgresStore({ url: database })]
  onTestFinished(second.close)
  const one = await createTestTenants({ ...options, store: first, bus: ends.from, metrics: 'all' })
  const two = one.addNode({ store: second, bus: ends.to, metrics: 'all' })
  const { bot, organizationToken } = one.ours
  const watch = async (token: string) => {
    const events = await createTestBot(two, bot, organizationToken).events(token, '?after=0')
    await waitUntilDelivered(ends)
    return events
  }
  const ask = (path: string, node: Platform = one.platform) => node.fetch(new Request(`http://natter.test${path}`))
  return { one, two, ends, busStatuses, watch, ask }
}

describe.skipIf(!nats)('two nodes with a NATS bus', () => {
  it('deliver on either node what is written on the other, immediately', async () => {
    const { responder, say } = createScriptedResponder()
    const { one, watch } = await startNodes({ responder })
    const token = await one.ours.visitorToken()
    const events = await watch(token)
    await one.ours.send(token, 'Hello?')
    expect((await events.nextOf('message')).data).toMatchObject({ author: 'visitor', text: 'Hello?' })
    await say({ text: 'Good ' })
    expect((await events.nextOf('message.delta')).data).toMatchObject({ offset: 0, text: 'Good ' })
    await say({ text: 'day' })
    // Published with the end, or 50 ms after the first piece.
    await say('end')
    expect((await events.nextOf('message.delta')).data).toMatchObject({ offset: 5, text: 'day' })
    expect((await events.nextOf('message')).data).toMatchObject({ author: 'bot', text: 'Good day' })
  })

  it('are slower while the bus is down, and immediate again when it is back', async () => {
    const { one, two, ends, busStatuses, watch, ask } = await startNodes()
    const token = await one.ours.visitorToken()
    const events = await watch(token)
    const metrics = async (node?: Platform) => (await ask('/metrics', node)).text()
    expect(await metrics()).toContain('\nnatter_bus_connected 1\n')
    expect(await metrics()).toMatch(/\nnatter_bus_events_total\{direction="published"\} [1-9]/)
    await nats?.kill()
    await expect.poll(() => busStatuses.filter(word => word === 'lost')).toHaveLength(2)
    expect(await metrics()).toContain('\nnatter_bus_connected 0\n')
    expect((await ask('/readyz')).status).toBe(200)
    expect(await outcomeOf(one.ours.send(token, 'by the store'))).toBe('201')
    const late = await advanceUntil(one.clock, sweepMs, events.nextOf('message'))
    expect(late.data).toMatchObject({ seq: 1, text: 'by the store' })

    await nats?.start()
    await waitUntilDelivered(ends)
    await one.ours.send(token, 'by the bus')
    expect((await events.nextOf('message')).data).toMatchObject({ seq: 2, text: 'by the bus' })
    expect(await metrics()).toContain('\nnatter_bus_connected 1\n')
    expect(await metrics(two)).toMatch(/\nnatter_bus_events_total\{direction="received"\} [1-9]/)
    await one.ours.call('DELETE', '/widget/session', { token })
    expect((await events.nextOf('session.ended')).data).toEqual({ reason: 'logged_out' })
  })

  it('can be started by natter serve before the bus, and report failed authentication without a password', async () => {
    await nats?.kill()
    const variables = { NATTER_DATABASE: await createStoreDatabase(server), NATTER_DRAIN: '0' }
    const url = nats?.url ?? ''
    const nodes = [
      await serve(['--dev'], { ...variables, NATTER_NATS_URL: url }),
      await serve([], { ...variables, NATTER_NATS_URL: url.replace('geheim', 'falsch') }),
    ] as const
    for (const node of nodes) await expect.poll(node.log).toContain('no bus: ')
    await nats?.start()
    const readBusLogs = () => nodes.map(node => /connected to the bus|the bus refuses this node/.exec(node.log())?.[0])
    await expect.poll(readBusLogs).toEqual(['connected to the bus', 'the bus refuses this node'])
    for (const node of nodes) {
      expect(await node.stop()).toBe(0)
      expect(node.log()).not.toMatch(/geheim|falsch/)
    }
  })
})
