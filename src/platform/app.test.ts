import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { afterAll, describe, expect, it } from 'vitest'
import type { Connection } from './http/connection.ts'
import { isResponse } from './routes/handler.ts'
import { connectionFrom } from './testing/connectionFrom.ts'
import { createTestTenants, dataOf, outcomeOf, shopOrigin } from './testing/testTenants.ts'

const { platform, ours, close } = await createTestTenants()
afterAll(close)

const unknownBot = '00000000-0000-7000-8000-000000000000'
const fetchPath = (method: string, path: string, headers: Record<string, string> = {}, body: BodyInit | null = null) =>
  platform.fetch(new Request(`http://natter.test${path}`, { method, headers, body }))

describe('a request whose client has closed the connection before it was read', () => {
  const send = (path: string, bearer: string) => {
    const { incoming } = connectionFrom('203.0.113.9')
    const closed = { incoming: Object.assign(incoming ?? {}, { socket: { destroyed: true } }) } as Connection
    const request = new Request(`http://natter.test/v1/bots/${ours.bot.id}${path}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${bearer}` },
    })
    return platform.fetch(request, closed)
  }

  it('changes nothing if an organization has sent it, because it may have sent a newer one to another node', async () => {
    const { id } = await ours.createContact()
    const late = await send(`/contacts/${id}`, ours.organizationToken)
    expect(late.status).toBe(503)
    expect((await ours.call('GET', `/contacts/${id}`)).status).toBe(200)
  })

  it('is carried out if a visitor has logged out while leaving the page', async () => {
    const token = await ours.visitorToken()
    expect((await send('/widget/session', token)).status).toBe(204)
    expect((await ours.call('GET', '/widget/session', { token })).status).toBe(401)
  })
})

describe('responses', () => {
  it('have a request id, forbid sniffing and storing, and do not name the server software', async () => {
    for (const path of ['/healthz', '/nowhere', `/v1/bots/${unknownBot}/widget`]) {
      const { headers } = await fetchPath('GET', path)
      expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.has('x-powered-by')).toBe(false)
    }
  })

  it('are RFC 9457 problems for errors, with the request id as instance', async () => {
    const response = await fetchPath('GET', '/nowhere?token=c:00')
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toEqual({
      type: 'urn:natter:problem:not_found',
      title: 'Not found',
      status: 404,
      code: 'not_found',
      detail: 'There is nothing at this path.',
      instance: `urn:natter:request:${response.headers.get('x-request-id')}`,
    })
  })

  it("allow caching the OpenAPI document and, for a minute, the bot's public profile, with 304 if it has not changed", async () => {
    const profile = await ours.call('GET', '/widget', { token: '' })
    expect(profile.headers.get('cache-control')).toBe('public, max-age=60')
    const document = await fetchPath('GET', '/v1/openapi.json')
    expect(document.headers.get('cache-control')).toBe('public, max-age=300')
    const data = await dataOf(profile)
    expect(data).not.toHaveProperty('origins')
    expect(data).not.toHaveProperty('organizationId')
    const headers = { 'if-none-match': profile.headers.get('etag') ?? '' }
    expect((await ours.call('GET', '/widget', { token: '', headers })).status).toBe(304)
  })

  it('answer HEAD wherever GET works, without opening a stream', async () => {
    const head = await fetchPath('HEAD', '/healthz')
    expect([head.status, await head.text()]).toEqual([200, ''])
    const token = await ours.visitorToken()
    const stream = await ours.call('HEAD', '/widget/events', { token })
    expect([stream.status, await stream.text()]).toEqual([200, ''])
  })

  it('are 503 with Retry-After when the store does not answer, without details', async () => {
    const own = await createTestTenants()
    await own.store.close()
    const profile = await own.ours.call('GET', '/widget', { token: '', headers: { origin: shopOrigin } })
    expect(profile.headers.get('access-control-allow-origin')).toBe('*')
    const ready = await own.platform.fetch(new Request('http://natter.test/readyz'))
    for (const response of [await own.ours.call('POST', '/contacts'), profile, ready]) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
      const body = await response.text()
      expect(body).toContain('"unavailable"')
      expect(body).not.toMatch(/closed|sqlite/i)
    }
    await own.platform.close()
    expect(await outcomeOf(own.ours.call('POST', '/contacts'))).toBe('503 unavailable')
  })

  it('are not mistaken for a result that has a status of its own', async () => {
    expect(isResponse({ data: [], status: 'open' })).toBe(false)
    for (const response of [new Response('x'), await fetch('data:,x'), RESPONSE_ALREADY_SENT])
      expect(isResponse(response)).toBe(true)
  })

  it.each([
    ['an error', new Error('secret cause')],
    ['something else', 'secret cause'],
  ])('say 500 for %s that nobody foresaw, and keep the cause for the log', async (_, thrown) => {
    const own = await createTestTenants({ readBuiltFile: () => Promise.reject(thrown) })
    const response = await own.platform.fetch(new Request('http://natter.test/natter.js'))
    const body = await response.text()
    expect(response.status).toBe(500)
    expect(body).not.toContain('secret cause')
    const logged = own.lines.find(line => line.includes('secret cause'))
    expect(logged).toContain(response.headers.get('x-request-id'))
  })
})
