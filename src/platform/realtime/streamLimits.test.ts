import { expect, it } from 'vitest'
import { createTestTenants, outcomeOf, readEvents, type TestBot } from '../testing/testTenants.ts'

const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'
const openBy = {
  GET: ({ call }: TestBot, token: string, address?: string) =>
    call('GET', '/widget/events', { token, ...(address && { address }) }),
  POST: ({ call }: TestBot, token: string, address?: string) =>
    call('POST', '/widget/events/stream', { token, json: { nonce }, ...(address && { address }) }),
}

it.each(['GET', 'POST'] as const)(
  'refuses the streams (by %s) that one address opens beyond its limit, and no others',
  async method => {
    const tenants = await createTestTenants({ limits: { addressStreams: 3 } })
    const open = async (address?: string) => openBy[method](tenants.ours, await tenants.ours.visitorToken(), address)
    const streams: Response[] = []
    for (let count = 0; count < 3; count++) streams.push(await open('2001:db8::1'))
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
    // The same network with another host part of the address.
    const refused = await open('2001:db8::2')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(30)
    expect(await outcomeOf(refused)).toBe('429 rate_limited')
    expect((await open('2001:db8:0:1::1')).status).toBe(200)
    expect((await open()).status).toBe(200)
    // A stream that ends makes room.
    await streams[0]?.body?.cancel()
    expect((await open('2001:db8::2')).status).toBe(200)
  },
)

it('keeps the streams of a token when its next one is refused because of the address', async () => {
  const tenants = await createTestTenants({ limits: { addressStreams: 20 } })
  const token = await tenants.ours.visitorToken()
  const others = await tenants.ours.visitorToken()
  const oldest = readEvents(await openBy.GET(tenants.ours, token, '2001:db8::1'))
  for (let count = 1; count < 20; count++) await openBy.GET(tenants.ours, token, '2001:db8::1')
  for (let count = 0; count < 20; count++) await openBy.GET(tenants.ours, others, '2001:db8:0:1::1')
  expect((await openBy.GET(tenants.ours, token, '2001:db8:0:1::1')).status).toBe(429)
  await tenants.ours.send(token, 'still here')
  expect(await oldest.nextOf('message')).toBeDefined()
  // At the limit of its own address it replaces its oldest stream.
  expect((await openBy.GET(tenants.ours, token, '2001:db8::1')).status).toBe(200)
  expect(await oldest.next()).toBeUndefined()
})

it('refuses streams beyond the limit of the node with 503, after which a client tries another node', async () => {
  const tenants = await createTestTenants({ limits: { streams: 2 } })
  const open = async () => openBy.POST(tenants.ours, await tenants.ours.visitorToken())
  const [first] = [await open(), await open()]
  const refused = await open()
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(10)
  expect(await outcomeOf(refused)).toBe('503 unavailable')
  // Everything else goes on.
  const ready = await tenants.platform.fetch(new Request('http://natter.test/readyz'))
  expect(ready.status).toBe(200)
  await first?.body?.cancel()
  expect((await open()).status).toBe(200)
})

it('lets a token at its own limit replace its oldest stream though the node is full', async () => {
  const tenants = await createTestTenants({ limits: { streams: 20 } })
  const token = await tenants.ours.visitorToken()
  const oldest = readEvents(await openBy.GET(tenants.ours, token))
  for (let count = 1; count < 20; count++) await openBy.GET(tenants.ours, token)
  expect((await openBy.GET(tenants.ours, token)).status).toBe(200)
  await oldest.next()
  expect(await oldest.next()).toBeUndefined()
  expect((await openBy.GET(tenants.ours, await tenants.ours.visitorToken())).status).toBe(503)
})
