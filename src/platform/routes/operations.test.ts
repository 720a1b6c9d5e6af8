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
