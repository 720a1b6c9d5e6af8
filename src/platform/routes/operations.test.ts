import { describe, expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

const ask = ({ platform }: TestTenants, path: string, method = 'GET') =>
  platform.fetch(new Request(`http://natter.test${path}`, { method }))

describe('/healthz and /readyz', () => {
  it('report that the process runs, and whether the store answers', async () => {
    const tenants = await createTestTenants()
    for (const path of ['/healthz', '/readyz']) expect(await dataOf(ask(tenants, path))).toMatchObject({ status: 'ok' })
    await tenants.store.close()
    expect(await dataOf(ask(tenants, '/healthz'))).toMatchObject({ status: 'ok' })
    expect(await outcomeOf(ask(tenants, '/readyz'))).toBe('503 unavailable')
  })

  it('wait for the store for at most one second', async () => {
    const tenants = await createTestTenants()
    tenants.store.ping = () => new Promise(() => {})
    const ready = ask(tenants, '/readyz')
    tenants.clock.advance(1_000)
    expect(await outcomeOf(ready)).toBe('503 unavailable')
  })

  it('report that the server is not ready as soon as it starts to close, while it still handles requests', async () => {
    const tenants = await createTestTenants()
    tenants.platform.closeStreams()
    expect(await outcomeOf(ask(tenants, '/readyz'))).toBe('503 unavailable')
    // An expected shutdown needs no alert.
    expect(JSON.parse(tenants.lines.at(-1) ?? '')).toMatchObject({ level: 30, route: '/readyz', status: 503 })
    expect((await tenants.ours.call('POST', '/contacts')).status).toBe(200)
  })
})

describe('/v1/stream-check', () => {
  it('sends four events one by one and ends, without a token or a session', async () => {
    const tenants = await createTestTenants()
    const response = await ask(tenants, '/v1/stream-check')
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const received: string[] = []
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      received.push(decoder.decode(bytes))
      tenants.clock.advance(300)
    }
    expect(received).toEqual([1, 2, 3, 4].map(number => `event: check\ndata: {"number":${number}}\n\n`))
  })

  it('opens no stream for a HEAD request', async () => {
    expect((await ask(await createTestTenants(), '/v1/stream-check', 'HEAD')).body).toBeNull()
  })
})
