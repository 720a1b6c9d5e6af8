import { describe, expect, it } from 'vitest'
import { version } from '../packageFiles.ts'
import { connectionFrom } from '../testing/connectionFrom.ts'
import { createTestTenants, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

const ask = ({ platform }: TestTenants, path = '/metrics', address?: string) =>
  platform.fetch(new Request(`http://natter.test${path}`), address ? connectionFrom(address) : {})
const textOf = async (tenants: TestTenants) => (await ask(tenants)).text()

describe('/metrics', () => {
  it('counts requests by method, route and status, store calls, streams and queue lengths', async () => {
    const tenants = await createTestTenants({ metrics: 'all' })
    const { ours } = tenants
    const { id } = await ours.createContact()
    const token = await ours.contactToken(id)
    await ours.call('GET', `/contacts/${id}`)
    await ours.call('GET', '/contacts/nobody')
    const events = await ours.events(token)
    expect((await ask(tenants)).headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await textOf(tenants)
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
    await ours.call('DELETE', `/auth/contacts/${token}`)
    await events.nextOf('session.ended')
    expect(await textOf(tenants)).toContain('\nnatter_streams_open 0\n')
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
    const { ours, store } = tenants
    const events = { url: 'http://127.0.0.1:1/events', secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZg==' }
    await store.updateBot(ours.bot.id, { events })
    for (const text of ['hello', 'fail']) {
      const token = await ours.visitorToken()
      const stream = await ours.events(token)
      await ours.send(token, text)
      while ((await stream.nextOf('message')).data['author'] === 'visitor');
      await stream.cancel()
    }
    for (const outcome of ['answered', 'failed'])
      expect(await textOf(tenants)).toContain(
        `\nnatter_responder_turns_total{responder="faq",outcome="${outcome}"} 1\n`,
      )
    await expect.poll(() => textOf(tenants)).toContain('natter_deliveries_total{outcome="postponed"}')
  })

  it('is available to this machine and direct requests of a trusted proxy, or to all if configured, otherwise 404', async () => {
    const tenants = await createTestTenants({ trustedProxies: ['10.0.0.1'] })
    const outcome = async (address?: string) => outcomeOf(ask(tenants, '/metrics', address))
    for (const address of ['127.0.0.1', '10.0.0.1']) expect(await outcome(address)).toBe('200')
    for (const address of ['203.0.113.9', undefined]) expect(await outcome(address)).toBe('404 not_found')
    const off = await createTestTenants({ metrics: 'off' })
    const [hidden, nothing] = [await ask(off, '/metrics', '127.0.0.1'), await ask(off, '/nothing', '127.0.0.1')]
    expect({ ...(await hidden.json()), instance: '' }).toEqual({ ...(await nothing.json()), instance: '' })
  })
})
