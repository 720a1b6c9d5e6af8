import { expect, it } from 'vitest'
import { createTestTenants, outcomeOf, readEvents } from '../testing/testTenants.ts'
import type { StreamLimits } from './streams.ts'

const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'
const [one, sameNetwork, other] = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1']

async function start(limits: Partial<StreamLimits>, method: 'GET' | 'POST' = 'GET') {
  const { ours, platform } = await createTestTenants({ limits })
  /** Opens a stream of this token, or of a new visitor. */
  const open = async (address?: string, token?: string) => {
    const from = { token: token ?? (await ours.visitorToken()), ...(address && { address }) }
    return method === 'GET'
      ? ours.call('GET', '/widget/events', from)
      : ours.call('POST', '/widget/events/stream', { ...from, json: { nonce } })
  }
  const openMany = async (count: number, address?: string, token?: string) => {
    const responses: Response[] = []
    while (responses.length < count) responses.push(await open(address, token))
    expect(responses.map(({ status }) => status)).toEqual(Array(count).fill(200))
    return responses[0] as Response
  }
  return { ours, platform, open, openMany }
}

it.each(['GET', 'POST'] as const)(
  'refuses the streams (by %s) that one address opens beyond its limit',
  async method => {
    const { open, openMany } = await start({ addressStreams: 3 }, method)
    const first = await openMany(3, one)
    const refused = await open(sameNetwork)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(30)
    expect(await outcomeOf(refused)).toBe('429 rate_limited')
    for (const address of [other, undefined]) expect((await open(address)).status).toBe(200)
    // A stream that ends makes room.
    await first.body?.cancel()
    expect((await open(sameNetwork)).status).toBe(200)
  },
)

it('keeps the streams of a token when its next one is refused because of the address', async () => {
  const { ours, open, openMany } = await start({ addressStreams: 20 })
  const token = await ours.visitorToken()
  const oldest = readEvents(await openMany(20, one, token))
  await openMany(20, other, await ours.visitorToken())
  expect((await open(other, token)).status).toBe(429)
  await ours.send(token, 'still here')
  expect(await oldest.nextOf('message')).toBeDefined()
  // At the limit of its own address it replaces its oldest stream.
  expect((await open(one, token)).status).toBe(200)
  expect(await oldest.next()).toBeUndefined()
})

it('refuses streams beyond the limit of the node with 503, after which a client tries another node', async () => {
  const { platform, open, openMany } = await start({ streams: 2 }, 'POST')
  const first = await openMany(2)
  const refused = await open()
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(10)
  expect(await outcomeOf(refused)).toBe('503 unavailable')
  // Everything else goes on.
  expect((await platform.fetch(new Request('http://natter.test/readyz'))).status).toBe(200)
  await first.body?.cancel()
  expect((await open()).status).toBe(200)
})

it('lets a token at its own limit replace its oldest stream though the node is full', async () => {
  const { ours, open, openMany } = await start({ streams: 20 })
  const token = await ours.visitorToken()
  const oldest = readEvents(await openMany(20, undefined, token))
  expect((await open(undefined, token)).status).toBe(200)
  await oldest.next()
  expect(await oldest.next()).toBeUndefined()
  expect((await open()).status).toBe(503)
})
