import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, RequestError } from '@nats-io/transport-node'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type BusPair, busSuite, waitUntilDelivered } from '../testing/busSuite.ts'
import { findNats, startNats } from '../testing/natsServer.ts'
import { createTemporaryFolder } from '../testing/temporaryFolder.ts'
import type { BusEvent } from './bus.ts'
import { createNatsBus, type NatsBusOptions } from './nats.ts'

const binary = findNats()
const nats = binary ? await startNats(binary) : undefined
afterAll(() => nats?.kill())
const url = nats?.url ?? ''

/** A bus of one node, which is closed after the test. */
async function openBus(options: Partial<NatsBusOptions> = {}) {
  const bus = await createNatsBus({ url, ...options })
  onTestFinished(bus.close)
  return bus
}
/** Connected buses of two nodes. */
async function openPair(options: Partial<NatsBusOptions> = {}): Promise<BusPair> {
  const ends = { from: await openBus(options), to: await openBus() }
  await waitUntilDelivered(ends)
  return ends
}

describe.skipIf(!nats)('with a nats-server', () => {
  busSuite('createNatsBus, on one node', async () => {
    const bus = await openBus()
    return { from: bus, to: bus }
  })
  busSuite('createNatsBus, from one node to another', openPair)

  it('subscribes only to the subjects that have listeners here, and continues after what no node would publish', async () => {
    const { hostname, port, username: user, password: pass } = new URL(url)
    const client = await connect({ servers: `${hostname}:${port}`, user, pass })
    onTestFinished(() => client.close())
    const ends = await openPair()
    // A request to a subject without subscribers fails immediately, which tests the subscriptions.
    const hasListener = () =>
      client
        .request('natter.a', 'no JSON', { timeout: 2000 })
        .catch(error => !(error instanceof RequestError && error.isNoResponders()))
    const received: BusEvent[] = []
    expect(await hasListener()).toBe(false)
    const stops = [1, 2].map(() => ends.to.subscribe('a', event => received.push(event)))
    await waitUntilDelivered(ends)
    expect(await hasListener()).toBe(true)
    for (const wild of ['null', '{}', '{"type":"forward"}', '{"type":"ended"}']) client.publish('natter.a', wild)
    await client.flush()
    expect(received).toEqual([])
    const typing: BusEvent = { type: 'forward', streamEvent: { event: 'typing', data: { author: 'bot' } } }
    ends.from.publish('a', typing)
    await waitUntilDelivered(ends)
    expect(received).toEqual([typing, typing])
    for (const stop of stops) stop()
    await waitUntilDelivered(ends)
    expect(await hasListener()).toBe(false)
  })

  it('reconnects when the server is back, reports both once, and delivers nothing late', async () => {
    const statuses: string[] = []
    const ends = await openPair({
      onConnected: () => statuses.push('connected'),
      onLost: () => statuses.push('lost'),
    })
    const { from, to } = ends
    const received: BusEvent['type'][] = []
    const stopLeft = to.subscribe('left', ({ type }) => received.push(type))
    to.subscribe('before', ({ type }) => received.push(type))
    await waitUntilDelivered(ends)
    await nats?.kill()
    await expect.poll(() => statuses).toEqual(['connected', 'lost'])
    from.publish('before', { type: 'stored' })
    stopLeft()
    to.subscribe('meanwhile', ({ type }) => received.push(type))
    await nats?.start()
    await waitUntilDelivered(ends)
    from.publish('before', { type: 'joined' })
    from.publish('meanwhile', { type: 'taken_over' })
    from.publish('left', { type: 'erased' })
    await waitUntilDelivered(ends)
    expect(received).toEqual(['joined', 'taken_over'])
    expect(statuses).toEqual(['connected', 'lost', 'connected'])
  })

  it('gives up a server that has stopped responding, and can be closed meanwhile', async () => {
    const lost = vi.fn()
    const { from, to } = await openPair({ onLost: lost })
    nats?.signal('SIGSTOP')
    onTestFinished(() => nats?.signal('SIGCONT'))
    await to.close()
    await expect.poll(() => lost.mock.calls).toHaveLength(1)
    await from.close()
  })

  it('does not publish events that are too large for the server', async () => {
    const lost = vi.fn()
    const ends = await openPair({ onLost: lost })
    const received = vi.fn()
    ends.to.subscribe('a', received)
    await waitUntilDelivered(ends)
    const data = { id: '', offset: 0, text: 'a'.repeat(2 ** 20) }
    ends.from.publish('a', { type: 'forward', streamEvent: { event: 'message.delta', data } })
    await waitUntilDelivered(ends)
    expect(received).not.toHaveBeenCalled()
    expect(lost).not.toHaveBeenCalled()
  })

  it('reports a failed authentication without the password, even if the server was down before', async () => {
    const statuses: string[] = []
    const tell = (what: string) => (error: unknown) => void statuses.push(`${what} ${error}`)
    await nats?.kill()
    const [onLost, onRefused] = [tell('lost'), tell('refused')]
    await openBus({ url: url.replace('geheim', 'falsch'), onLost, onRefused })
    await expect.poll(() => statuses).toHaveLength(1)
    await nats?.start()
    await expect.poll(() => statuses).toHaveLength(2)
    expect(statuses).toEqual([
      expect.stringMatching(/^lost .*refused/),
      expect.stringMatching(/^refused .*Authorization Violation$/),
    ])
  })

  it('reports failed authentication and missing permissions once per connection, and keeps trying', async () => {
    const config = join(createTemporaryFolder(), 'nats.conf')
    const allow = (password: string, permissions = '{ publish: "natter.*", subscribe: "natter.>" }') =>
      writeFileSync(
        config,
        `authorization { users [{ user: natter, password: ${password}, permissions: ${permissions} }] }`,
      )
    allow('anders')
    const narrow = await startNats(binary ?? '', '--config', config)
    onTestFinished(narrow.kill)
    const statuses: string[] = []
    const bus = await openBus({
      url: narrow.url,
      onConnected: () => statuses.push('connected'),
      onRefused: error => statuses.push(String(error)),
    })
    await expect.poll(() => statuses).toHaveLength(1)
    allow('geheim')
    process.kill(narrow.pid, 'SIGHUP')
    await expect.poll(() => statuses).toHaveLength(2)
    for (const id of ['a', 'b']) bus.publish(`conversation.${id}`, { type: 'stored' })
    await expect.poll(() => statuses).toHaveLength(3)
    expect(statuses).toEqual([
      expect.stringMatching(/Authorization Violation$/),
      'connected',
      expect.stringMatching(/Permissions Violation for Publish to "natter.conversation.a"$/),
    ])
  })

  it('reports that the server does not support TLS although it is required', async () => {
    const lost = vi.fn()
    await openBus({ url: url.replace('nats:', 'tls:'), onLost: lost })
    await expect.poll(() => String(lost.mock.calls[0]?.[0])).toContain("server does not support 'tls'")
  })
})
