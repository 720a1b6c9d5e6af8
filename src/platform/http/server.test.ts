import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultTimeLimitMs, type Endpoint, endpoints } from '../../contract/index.ts'
import { countingBus, createTestTenants, readEvents } from '../testing/testTenants.ts'
import { defaultReceiveTimeouts, type Platform, startServer } from './server.ts'

it('leaves it to the platform to end requests that are too slow: Node closes their connection later', () => {
  const limits = Object.values(endpoints).map(({ timeLimitMs = defaultTimeLimitMs }: Endpoint) => timeLimitMs)
  expect(defaultReceiveTimeouts.wholeMs).toBeGreaterThan(defaultReceiveTimeouts.headersMs + Math.max(...limits))
})

/** The test tenants over a port. Some methods of their platform can be replaced. */
async function start(options: Parameters<typeof createTestTenants>[0] = {}, replaced: Partial<Platform> = {}) {
  const tenants = await createTestTenants(options)
  const server = await startServer({ ...tenants.platform, ...replaced }, { host: '127.0.0.1', port: 0 })
  onTestFinished(server.close)
  const url = `http://127.0.0.1:${server.port}`
  return { ...tenants, server, url, path: `/v1/bots/${tenants.ours.bot.id}` }
}

describe.each([
  { method: 'GET', path: '/widget/events', first: 'comment', body: null },
  { method: 'POST', path: '/widget/events/stream', first: 'opened', body: '{"nonce":"mZk3xT0qVb8Lr2Nw6YcPdA"}' },
])('a stream by $method', ({ method, first, body, ...stream }) => {
  const headersOf = (token: string) => ({
    authorization: token,
    'accept-encoding': 'gzip, br',
    ...(body !== null && { 'content-type': 'application/json' }),
  })

  it('has events as they happen, and is released when its reader has disconnected', async () => {
    const { bus, listening } = countingBus()
    const { ours, url, path } = await start({ bus })
    const token = await ours.visitorToken()
    const abort = new AbortController()
    const init = { method, headers: headersOf(token), body, signal: abort.signal }
    const response = await fetch(url + path + stream.path, init)
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(response.headers.has('content-encoding')).toBe(false)
    const events = readEvents(response)
    expect((await events.next())?.event).toBe(first)
    await ours.send(token, 'over the wire')
    expect((await events.nextOf('message')).data['text']).toBe('over the wire')
    expect(listening()).toBe(2)
    abort.abort()
    await expect.poll(listening).toBe(0)
    await events.next().catch(() => {})
  })

  it('is released if its reader has disconnected while it was being opened', async () => {
    const { bus, listening } = countingBus()
    const { ours, store, server, path } = await start({ bus })
    const token = await ours.visitorToken()
    const { findConversation } = store
    const opening = Promise.withResolvers<number>()
    store.findConversation = async id => {
      socket.destroy()
      // The server notices it in a later turn of its event loop.
      await new Promise(resolve => setTimeout(resolve, 50))
      opening.resolve(listening())
      return findConversation(id)
    }
    const socket = connect(server.port, '127.0.0.1')
    const headers = { host: 'natter.test', ...headersOf(token), 'content-length': body?.length ?? 0 }
    const lines = Object.entries(headers).map(pair => pair.join(': '))
    socket.write([`${method} ${path}${stream.path} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n'))
    expect(await opening.promise).toBe(2)
    await expect.poll(listening).toBe(0)
  })

  it('ends with a reconnection delay when the server closes, which finishes running requests', async () => {
    const { ours, store, server, url, path } = await start()
    const token = await ours.visitorToken()
    const events = readEvents(await fetch(url + path + stream.path, { method, headers: headersOf(token), body }))
    const { createContact } = store
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    store.createContact = async (...args) => {
      reached.resolve()
      await goOn.promise
      return createContact(...args)
    }
    const pending = fetch(`${url}${path}/contacts`, {
      method: 'PUT',
      headers: { authorization: ours.organizationToken },
      body: new URLSearchParams({ name: 'Ada', email: 'last@example.com' }),
    })
    await reached.promise
    const closed = server.close()
    expect((await events.nextOf('retry')).data['ms']).toBeGreaterThanOrEqual(500)
    expect(await events.next()).toBeUndefined()
    goOn.resolve()
    expect((await pending).status).toBe(201)
    await closed
  })
})

describe('startServer', () => {
  it('uses a forwarded address only from a trusted proxy, and logs once which setting trusts one', async () => {
    const begin = async (options: { trustedProxies?: string[] }) => {
      const limits = { addressSessionsPerMinute: 30 }
      const { url, path, lines } = await start({ rateLimit: 3600, limits, ...options })
      const statuses = []
      for (let client = 1; client <= 31; client += 1) {
        const init = { method: 'POST', headers: { 'x-forwarded-for': `203.0.113.${client}` } }
        statuses.push((await fetch(`${url}${path}/widget/sessions`, init)).status)
      }
      return { last: statuses.at(-1), warnings: lines.filter(line => line.includes('NATTER_TRUSTED_PROXIES')) }
    }
    const untrusted = await begin({})
    expect(untrusted.last).toBe(429)
    expect(untrusted.warnings).toHaveLength(1)
    expect(untrusted.warnings[0]).not.toContain('203.0.113')
    expect(await begin({ trustedProxies: ['127.0.0.0/8'] })).toEqual({ last: 201, warnings: [] })
  })

  it('does not wait for idle connections when it closes', async () => {
    const { server } = await start()
    const socket = connect(server.port, '127.0.0.1')
    await once(socket, 'connect')
    await server.close()
    expect(socket.destroyed || (await once(socket, 'close'))).toBeTruthy()
  })

  it('answers 500 and logs the error if the platform fails without an answer', async () => {
    const { url, lines } = await start({}, { fetch: () => Promise.reject(new Error('as asked')) })
    expect((await fetch(url)).status).toBe(500)
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      { level: 50, msg: 'failed', err: { message: 'as asked' } },
      { level: 50, msg: 'request', status: 500 },
    ])
  })

  it('goes on, and logs it, when connections could not be accepted', async () => {
    const errors: unknown[] = []
    const servers: Server[] = []
    const created = (message: unknown): void => void servers.push((message as { server: Server }).server)
    subscribe('http.server.request.start', created)
    const { url } = await start({}, { logServerError: error => void errors.push(error) })
    await fetch(`${url}/healthz`)
    unsubscribe('http.server.request.start', created)
    const failures = [new Error('ENOBUFS'), new Error('ENOBUFS')]
    for (const failure of failures) servers.at(-1)?.emit('error', failure)
    expect(errors).toEqual(failures)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })

  it('says what to do if the port is in use', async () => {
    const { platform, server } = await start()
    await expect(startServer(platform, { host: '127.0.0.1', port: server.port })).rejects.toThrow(/in use.*--port/)
  })
})
