import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HttpServer, startServer } from '../http/server.ts'
import { createTestTenants, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
let server: HttpServer
beforeEach(async () => {
  tenants = await createTestTenants()
  server = await startServer(tenants.platform, {
    host: '127.0.0.1',
    port: 0,
    receiveTimeouts: { headersMs: 1000, wholeMs: 1500 },
  })
})
afterEach(async () => {
  await server.close()
  await tenants.close()
})

const many = 100
const paceMs = 20

interface SlowRequest {
  received(): string
  closed: Promise<unknown>
}

/** Sends the beginning at once and then one byte at a time, as long as the connection is open. */
function sendSlowly(beginning: string, byte: string): SlowRequest {
  const socket: Socket = connect(server.port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  socket.on('error', () => {})
  socket.write(beginning)
  const timer = setInterval(() => socket.write(byte), paceMs)
  const closed = new Promise(resolve => socket.once('close', resolve)).then(() => clearInterval(timer))
  return { received: () => received, closed }
}

/** Connects the other clients first, so that the time a connection takes does not matter. */
async function prepareOthers(): Promise<void> {
  const attempts = Array.from({ length: 20 }, () => fetch(`http://127.0.0.1:${server.port}/healthz`))
  for (const response of await Promise.all(attempts)) await response.text()
}

async function others(): Promise<number[]> {
  const headers = { authorization: tenants.ours.organizationToken, 'content-type': 'application/json' }
  const attempts = Array.from({ length: 20 }, async (_, index) => {
    const body = JSON.stringify({ name: 'Ada', email: `other-${index}@example.com` })
    const path = `/v1/bots/${tenants.ours.bot.id}/contacts`
    return (await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'PUT', headers, body })).status
  })
  return Promise.all(attempts)
}

describe('a client that sends a request byte by byte', () => {
  it.each([
    ['the headers', () => 'GET /healthz HTTP/1.1\r\nHost: natter.test\r\nX-Slow: ', 'a'],
    [
      'the body',
      () =>
        `PUT /v1/bots/${tenants.ours.bot.id}/contacts HTTP/1.1\r\nHost: natter.test\r\nContent-Length: 30000\r\n` +
        `Content-Type: application/json\r\nAuthorization: ${tenants.ours.organizationToken}\r\n\r\n{"name":"`,
      'b',
    ],
    [
      'the body, without a token',
      () =>
        `PUT /v1/bots/${tenants.ours.bot.id}/contacts HTTP/1.1\r\nHost: natter.test\r\nContent-Length: 30000\r\n\r\n{`,
      'c',
    ],
    ['nothing that is HTTP', () => '', '\r\n'],
  ])('is disconnected in time while others are served: %s', async (_, beginning, byte) => {
    await prepareOthers()
    const slow = Array.from({ length: many }, () => sendSlowly(beginning(), byte))
    expect(await others()).toEqual(Array(20).fill(201))
    await Promise.all(slow.map(({ closed }) => closed))
    for (const { received } of slow) expect(received()).toMatch(/^(?:HTTP\/1\.1 (?:408|401) |$)/)
    const found = (await (await tenants.ours.call('POST', '/contacts')).json()) as { pagination: { total: number } }
    expect(found.pagination.total).toBe(20)
    expect(tenants.lines.filter(line => /"level":[56]0/.test(line))).toEqual([])
  })

  it('is not disconnected while it reads a stream, however long it lasts', async () => {
    const socket = connect(server.port, '127.0.0.1')
    await once(socket, 'connect')
    const token = await tenants.ours.visitorToken()
    const path = `/v1/bots/${tenants.ours.bot.id}/widget/events`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: natter.test\r\nAuthorization: ${token}\r\n\r\n`)
    let received = ''
    socket.on('data', text => {
      received += text
    })
    // Longer than a request may take to arrive.
    await new Promise(resolve => setTimeout(resolve, 2000))
    await tenants.ours.send(token, 'still there')
    while (!received.includes('still there')) await once(socket, 'data')
    socket.destroy()
  })
})
