import { describe, expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf } from '../testing/testTenants.ts'

const request = (path: string) => new Request(`http://natter.test${path}`)

describe('/healthz', () => {
  it('returns 200 while the process runs, without asking the store', async () => {
    const tenants = await createTestTenants()
    await tenants.store.close()
    expect(await dataOf(await tenants.platform.fetch(request('/healthz')))).toMatchObject({ status: 'ok' })
    await tenants.platform.close()
  })
})

describe('/readyz', () => {
  it('reports whether the store answers', async () => {
    const tenants = await createTestTenants()
    const ready = () => tenants.platform.fetch(request('/readyz'))
    expect(await dataOf(await ready())).toMatchObject({ status: 'ok' })
    await tenants.store.close()
    expect(await outcomeOf(await ready())).toBe('503 unavailable')
    await tenants.platform.close()
  })

  it('waits for the store for at most one second', async () => {
    const tenants = await createTestTenants()
    tenants.store.ping = () => new Promise(() => {})
    const ready = tenants.platform.fetch(request('/readyz'))
    tenants.clock.advance(1_000)
    expect(await outcomeOf(await ready)).toBe('503 unavailable')
    await tenants.close()
  })

  it('fails as soon as the server starts to close, while it still handles requests', async () => {
    const tenants = await createTestTenants()
    tenants.platform.closeStreams()
    expect(await outcomeOf(await tenants.platform.fetch(request('/readyz')))).toBe('503 unavailable')
    // An expected shutdown needs no alert.
    expect(JSON.parse(tenants.lines.at(-1) ?? '')).toMatchObject({ level: 30, route: '/readyz', status: 503 })
    expect((await tenants.ours.call('POST', '/contacts')).status).toBe(200)
    await tenants.close()
  })
})

describe('/v1/stream-check', () => {
  it('sends four events one by one and ends, without a token or a session', async () => {
    const tenants = await createTestTenants()
    const response = await tenants.platform.fetch(request('/v1/stream-check'))
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const received: string[] = []
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      received.push(decoder.decode(bytes))
      tenants.clock.advance(300)
    }
    expect(received).toEqual([1, 2, 3, 4].map(number => `event: check\ndata: {"number":${number}}\n\n`))
    await tenants.close()
  })

  it('opens no stream for a HEAD request', async () => {
    const tenants = await createTestTenants()
    const head = new Request('http://natter.test/v1/stream-check', { method: 'HEAD' })
    expect((await tenants.platform.fetch(head)).body).toBeNull()
    await tenants.close()
  })
})
