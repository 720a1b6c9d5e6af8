import { describe, expect, it } from 'vitest'
import { version } from '../packageFiles.ts'
import { createTestTenants, outcomeOf, readEvents } from '../testing/testTenants.ts'
import type { Connection } from './connection.ts'

const from = (remoteAddress: string, headers: Record<string, string> = {}): Connection => ({
  incoming: { headers, socket: { remoteAddress } },
})
const request = (path: string) => new Request(`http://natter.test${path}`)

describe('/metrics', () => {
  it('counts requests by method, route and status, store calls, streams and queue lengths', async () => {
    const tenants = await createTestTenants({ metrics: 'all' })
    const { id } = await tenants.ours.createContact()
    const token = await tenants.ours.contactToken(id)
    await tenants.ours.call('GET', `/contacts/${id}`)
    await tenants.ours.call('GET', '/contacts/nobody')
    const events = readEvents(await tenants.ours.call('GET', '/widget/events', { token }))
    const response = await tenants.platform.fetch(request('/metrics'))
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    const route = '/v1/bots/{botId}/contacts/{contactId}'
    for (const line of [
      `http_requests_total{method="GET",route="${route}",status="200"} 1`,
      `http_requests_total{method="GET",route="${route}",status="404"} 1`,
      `http_request_duration_seconds_count{method="GET",route="${route}",status="200"} 1`,
      'natter_store_call_duration_seconds_count{method="createContact",outcome="ok"} 1',
      'natter_streams_open 1',
      'natter_store_queue_depth 0',
      `natter_build_info{version="${version}"} 1`,
    ])
      expect(text).toContain(`\n${line}\n`)
    expect(text).toMatch(/\nprocess_cpu_seconds_total \d/)
    // A single node has no bus metrics.
    expect(text).not.toContain('natter_bus')
    await tenants.ours.call('DELETE', `/auth/contacts/${token}`)
    await events.nextOf('session.ended')
    expect(await (await tenants.platform.fetch(request('/metrics'))).text()).toContain('\nnatter_streams_open 0\n')
    await tenants.close()
  })

  it('counts the results of responders and events webhooks', async () => {
    const tenants = await createTestTenants({
      metrics: 'all',
      responder: {
        async *answer({ messages }) {
          if (messages.at(-1)?.text === 'fail') throw new Error('as asked')
          yield { text: 'Hello' }
        },
      },
    })
    const events = { url: 'http://127.0.0.1:1/events', secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZg==' }
    await tenants.store.updateBot(tenants.ours.bot.id, { events })
    for (const text of ['hello', 'fail']) {
      const token = await tenants.ours.visitorToken()
      const stream = readEvents(await tenants.ours.call('GET', '/widget/events', { token }))
      await tenants.ours.send(token, text)
      while ((await stream.nextOf('message')).data['author'] === 'visitor');
      await stream.cancel()
    }
    const text = () => tenants.platform.fetch(request('/metrics')).then(response => response.text())
    expect(await text()).toContain('\nnatter_responder_turns_total{responder="faq",outcome="answered"} 1\n')
    expect(await text()).toContain('\nnatter_responder_turns_total{responder="faq",outcome="failed"} 1\n')
    await expect.poll(text).toContain('natter_deliveries_total{outcome="postponed"}')
    await tenants.close()
  })

  it('contains no token, id or address for any request', async () => {
    const tenants = await createTestTenants({ metrics: 'all', rateLimit: 3600 })
    const { id } = await tenants.ours.createContact()
    const token = await tenants.ours.contactToken(id)
    const visitor = await tenants.ours.visitorToken()
    await tenants.ours.send(visitor, 'Hello')
    for (const path of [`/${token}`, `/v1/bots/${id}/auth/contacts/${token}`, `/natter@1.0.0/${visitor}.js`])
      await tenants.platform.fetch(request(path), from('203.0.113.9'))
    await tenants.platform.fetch(new Request('http://natter.test/', { method: `X${id}` }), from('203.0.113.9'))
    const text = await (await tenants.platform.fetch(request('/metrics'))).text()
    expect(text).toContain('method="other"')
    const { bot, organizationToken } = tenants.ours
    for (const secret of [token, visitor, organizationToken, id, bot.id, bot.organizationId, '203.0.113.9'])
      expect(text).not.toContain(secret)
    await tenants.close()
  })

  it('is available to this machine and direct requests of a trusted proxy, or to all if configured, otherwise 404', async () => {
    const tenants = await createTestTenants({ trustedProxies: ['10.0.0.1'] })
    const ask = async (connection?: Connection) =>
      outcomeOf(await tenants.platform.fetch(request('/metrics'), connection))
    for (const address of ['127.0.0.1', '::1', '10.0.0.1']) expect(await ask(from(address))).toBe('200')
    for (const host of ['localhost', 'localhost:8787', '127.0.0.1:8787', '[::1]:8787'])
      expect(await ask(from('127.0.0.1', { host }))).toBe('200')
    // A page whose name leads to this machine, in a browser on this machine.
    for (const headers of [{ host: 'rebound.example:8787' }, { host: 'localhost', origin: 'http://a.example' }])
      expect(await ask(from('127.0.0.1', headers))).toBe('404 not_found')
    expect(await ask(from('203.0.113.9'))).toBe('404 not_found')
    expect(await ask(from('127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }))).toBe('404 not_found')
    expect(await ask()).toBe('404 not_found')
    await tenants.close()
    const off = await createTestTenants({ metrics: 'off' })
    const hidden = await off.platform.fetch(request('/metrics'), from('127.0.0.1'))
    const nothing = await off.platform.fetch(request('/nothing'), from('127.0.0.1'))
    expect({ ...(await hidden.json()), instance: '' }).toEqual({ ...(await nothing.json()), instance: '' })
    await off.close()
  })
})
