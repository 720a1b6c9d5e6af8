import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultTimeLimitMs, type Endpoint, endpoints } from '../../contract/index.ts'
import { createMemoryBus } from '../bus/memory.ts'
import { createTestTenants, dataOf, readEvents, type TestTenants } from '../testing/testTenants.ts'
import { defaultReceiveTimeouts, type HttpServer, startServer } from './server.ts'

let tenants: TestTenants
let server: HttpServer
beforeAll(async () => {
  tenants = await createTestTenants()
  server = await startServer(tenants.platform, { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.close()
  await tenants.close()
})

const url = (path: string) => `http://127.0.0.1:${server.port}${path}`
const bot = (path: string) => url(`/v1/bots/${tenants.ours.bot.id}${path}`)
const authorization = () => ({ authorization: `Bearer ${tenants.ours.organizationToken}` })

it('leaves it to the platform to end requests that are too slow: Node closes their connection later', () => {
  const limits = Object.values(endpoints).map(({ timeLimitMs = defaultTimeLimitMs }: Endpoint) => timeLimitMs)
  expect(defaultReceiveTimeouts.wholeMs).toBeGreaterThan(defaultReceiveTimeouts.headersMs + Math.max(...limits))
})

/** Sends raw bytes and resolves to everything received until the other side disconnects. */
async function exchangeRaw(text: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
  })
  // The other side may disconnect before everything is sent.
  socket.on('error', () => {})
  socket.write(text, 'latin1')
  await once(socket, 'close')
  return received
}
const head = (method: string, path: string, ...headers: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: natter.test', 'Connection: close', ...headers, '', ''].join('\r\n')
const codeIn = (answer: string) => [Number(answer.slice(9, 12)), /"code":"(\w+)"/.exec(answer)?.[1]]

/** The two methods to open a stream, and the first bytes of each. */
const streamRequests = [
  { method: 'GET', path: '/widget/events', first: 'comment' },
  { method: 'POST', path: '/widget/events/stream', first: 'opened' },
]
const asking = ({ method }: { method: string }, token: string) => ({
  method,
  headers: {
    authorization: token,
    'accept-encoding': 'gzip, br',
    ...(method === 'POST' && { 'content-type': 'application/json' }),
  },
  body: method === 'POST' ? '{"nonce":"mZk3xT0qVb8Lr2Nw6YcPdA"}' : null,
})

/** A bus that counts its listeners and reports when the last one is removed. */
function createWatchedBus() {
  const bus = createMemoryBus()
  const { subscribe } = bus
  const listening = new Set<() => void>()
  const { promise: lastUnsubscribed, resolve } = Promise.withResolvers<void>()
  bus.subscribe = (subject, listener) => {
    const undo = subscribe(subject, listener)
    listening.add(undo)
    return () => {
      undo()
      listening.delete(undo)
      if (listening.size === 0) resolve()
    }
  }
  return { bus, listening, lastUnsubscribed }
}

describe('startServer', () => {
  it('responds over a port as the platform does in memory', async () => {
    expect(await dataOf(await fetch(url('/healthz')))).toMatchObject({ status: 'ok' })
    const response = await fetch(bot('/contacts'), {
      method: 'PUT',
      headers: authorization(),
      body: new URLSearchParams({ name: 'Ada', email: 'port@example.com' }),
    })
    expect(response.status).toBe(201)
  })

  it('returns problems for headers of more than 16 KiB and for invalid HTTP', async () => {
    const huge = await exchangeRaw(head('GET', '/healthz', `X-Filler: ${'a'.repeat(17_000)}`))
    expect(codeIn(huge)).toEqual([431, 'headers_too_large'])
    expect(huge).toContain('application/problem+json')
    expect(huge).toMatch(/x-request-id: [\da-f-]{36}/)
    expect(codeIn(await exchangeRaw('nonsense\r\n\r\n'))).toEqual([400, 'invalid_request'])
    expect(codeIn(await exchangeRaw(head('GET', '/healthz').replace('natter.test', 'a b')))).toEqual([
      400,
      'invalid_request',
    ])
  })

  it('refuses a second Authorization header and unknown methods', async () => {
    const { authorization: value } = authorization()
    const header = `Authorization: ${value}`
    const path = `/v1/bots/${tenants.ours.bot.id}/contacts`
    expect(codeIn(await exchangeRaw(head('POST', path, header, 'Content-Length: 0', header)))).toEqual([
      400,
      'invalid_request',
    ])
    expect(codeIn(await exchangeRaw(head('TRACE', '/healthz')))).toEqual([405, 'method_not_allowed'])
  })

  it('accepts a URL that is not percent-encoded, as far as Node allows it', async () => {
    await tenants.ours.createContact({ email: 'aase+1@example.com' })
    const ask = (query: string) =>
      exchangeRaw(
        head(
          'POST',
          `/v1/bots/${tenants.ours.bot.id}/contacts?&query=${query}`,
          `Authorization: ${tenants.ours.organizationToken}`,
          'Content-Length: 0',
        ),
      )
    expect(await ask('1@example.com')).toContain('aase+1@example.com')
    expect(await ask('aase%2b1@')).toContain('aase+1@example.com')
    expect(await ask('"|^{%}')).toContain('"total":0')
    expect(await ask(Buffer.from('Åse').toString('latin1'))).toContain('Percent-encode')
  })

  it('refuses a body that becomes too large while it arrives, and disconnects', async () => {
    const path = `/v1/bots/${tenants.ours.bot.id}/contacts`
    const headers = [`Authorization: ${tenants.ours.organizationToken}`, 'Content-Type: application/json']
    const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`
    const answer = await exchangeRaw(head('PUT', path, ...headers, 'Transfer-Encoding: chunked') + chunk.repeat(3))
    expect(codeIn(answer)).toEqual([413, 'body_too_large'])
  })

  it.each(streamRequests)(
    'streams events by $method as they happen, and releases a stream whose reader has disconnected',
    async way => {
      const { bus, listening, lastUnsubscribed } = createWatchedBus()
      const own = await createTestTenants({ bus })
      const streaming = await startServer(own.platform, { host: '127.0.0.1', port: 0 })
      const token = await own.ours.visitorToken()
      const abort = new AbortController()
      const address = `http://127.0.0.1:${streaming.port}/v1/bots/${own.ours.bot.id}${way.path}`
      const response = await fetch(address, { ...asking(way, token), signal: abort.signal })
      expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
      expect(response.headers.get('x-accel-buffering')).toBe('no')
      expect(response.headers.has('content-encoding')).toBe(false)
      const events = readEvents(response)
      expect((await events.next())?.event).toBe(way.first)
      await own.ours.send(token, 'over the wire')
      expect((await events.nextOf('message')).data['text']).toBe('over the wire')
      expect(listening.size).toBe(2)
      abort.abort()
      await lastUnsubscribed
      await events.next().catch(() => {})
      await streaming.close()
      await own.close()
    },
  )

  it.each(streamRequests)(
    'releases a stream by $method whose reader has disconnected while it was being opened',
    async way => {
      const { bus, lastUnsubscribed } = createWatchedBus()
      const own = await createTestTenants({ bus })
      const streaming = await startServer(own.platform, { host: '127.0.0.1', port: 0 })
      const token = await own.ours.visitorToken()
      const { findConversation } = own.store
      own.store.findConversation = async id => {
        socket.destroy()
        // The server notices it in a later turn of its event loop.
        await new Promise(resolve => setTimeout(resolve, 50))
        return findConversation(id)
      }
      const socket = connect(streaming.port, '127.0.0.1')
      const { headers, body } = asking(way, token)
      const lines = Object.entries({ ...headers, 'content-length': body?.length ?? 0 }).map(pair => pair.join(': '))
      socket.write(head(way.method, `/v1/bots/${own.ours.bot.id}${way.path}`, ...lines) + (body ?? ''))
      await lastUnsubscribed
      await streaming.close()
      await own.close()
    },
  )

  it('uses a forwarded address only from a trusted proxy, and logs once which setting trusts one', async () => {
    const begin = async (options: { trustedProxies?: string[] }) => {
      const own = await createTestTenants({ rateLimit: 3600, limits: { addressSessionsPerMinute: 30 }, ...options })
      const limiting = await startServer(own.platform, { host: '127.0.0.1', port: 0 })
      const statuses = []
      for (let client = 1; client <= 31; client += 1) {
        const response = await fetch(`http://127.0.0.1:${limiting.port}/v1/bots/${own.ours.bot.id}/widget/sessions`, {
          method: 'POST',
          headers: { 'x-forwarded-for': `203.0.113.${client}` },
        })
        statuses.push(response.status)
      }
      await limiting.close()
      await own.close()
      return { last: statuses.at(-1), warnings: own.lines.filter(line => line.includes('NATTER_TRUSTED_PROXIES')) }
    }
    const untrusted = await begin({})
    expect(untrusted.last).toBe(429)
    expect(untrusted.warnings).toHaveLength(1)
    expect(untrusted.warnings[0]).not.toContain('203.0.113')
    expect(await begin({ trustedProxies: ['127.0.0.0/8'] })).toEqual({ last: 201, warnings: [] })
  })

  it('does not wait for idle connections when it closes', async () => {
    const own = await createTestTenants()
    const closing = await startServer(own.platform, { host: '127.0.0.1', port: 0 })
    const socket = connect(closing.port, '127.0.0.1')
    await once(socket, 'connect')
    await closing.close()
    expect(socket.destroyed || (await once(socket, 'close'))).toBeTruthy()
    await own.close()
  })

  it('answers 500 and logs the error if the platform fails without an answer', async () => {
    const failing = { ...tenants.platform, fetch: () => Promise.reject(new Error('as asked')) }
    const broken = await startServer(failing, { host: '127.0.0.1', port: 0 })
    tenants.lines.length = 0
    const { status } = await fetch(`http://127.0.0.1:${broken.port}/`)
    expect(status).toBe(500)
    expect(tenants.lines.map(line => JSON.parse(line))).toMatchObject([
      { level: 50, msg: 'failed', err: { message: 'as asked' } },
      { level: 50, msg: 'request', status: 500 },
    ])
    await broken.close()
  })

  it('goes on, and logs it, when connections could not be accepted', async () => {
    const errors: unknown[] = []
    const servers: Server[] = []
    const created = (message: unknown): void => void servers.push((message as { server: Server }).server)
    subscribe('http.server.request.start', created)
    const logServerError = (error: unknown): void => void errors.push(error)
    const other = await startServer({ ...tenants.platform, logServerError }, { host: '127.0.0.1', port: 0 })
    await fetch(`http://127.0.0.1:${other.port}/healthz`)
    unsubscribe('http.server.request.start', created)
    const failures = [new Error('ENOBUFS'), new Error('ENOBUFS')]
    for (const failure of failures) servers.at(-1)?.emit('error', failure)
    expect(errors).toEqual(failures)
    expect((await fetch(`http://127.0.0.1:${other.port}/healthz`)).status).toBe(200)
    await other.close()
  })

  it('says what to do if the port is in use', async () => {
    const { platform } = tenants
    await expect(startServer(platform, { host: '127.0.0.1', port: server.port })).rejects.toThrow(/in use.*--port/)
  })

  it.each(streamRequests)(
    'finishes running requests when it closes, and ends streams by $method with a reconnection delay',
    async way => {
      const own = await createTestTenants()
      const closing = await startServer(own.platform, { host: '127.0.0.1', port: 0 })
      const base = `http://127.0.0.1:${closing.port}/v1/bots/${own.ours.bot.id}`
      const token = await own.ours.visitorToken()
      const events = readEvents(await fetch(base + way.path, asking(way, token)))
      const { createContact } = own.store
      const reached = Promise.withResolvers<void>()
      const goOn = Promise.withResolvers<void>()
      own.store.createContact = async (...args) => {
        reached.resolve()
        await goOn.promise
        return createContact(...args)
      }
      const pending = fetch(`${base}/contacts`, {
        method: 'PUT',
        headers: { authorization: own.ours.organizationToken },
        body: new URLSearchParams({ name: 'Ada', email: 'last@example.com' }),
      })
      await reached.promise
      const closed = closing.close()
      expect((await events.nextOf('retry')).data['ms']).toBeGreaterThanOrEqual(500)
      expect(await events.next()).toBeUndefined()
      goOn.resolve()
      expect((await pending).status).toBe(201)
      await closed
      await own.close()
    },
  )
})
