import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestTenants, type TestTenants } from '../testing/testTenants.ts'
import { type HttpServer, startServer } from './server.ts'

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

async function exchangeRaw(...texts: string[]): Promise<string> {
  const socket = connect(server.port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
  })
  for (const text of texts) socket.write(text, 'latin1')
  await once(socket, 'close')
  return received
}
const statusesIn = (received: string): string[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)

describe('invalid HTTP', () => {
  it('is answered after the previous request on the connection, which is still handled', async () => {
    const { id } = await tenants.ours.createContact()
    const path = `/v1/bots/${tenants.ours.bot.id}/contacts/${id}`
    const head = `DELETE ${path} HTTP/1.1\r\nHost: natter.test\r\nAuthorization: ${tenants.ours.organizationToken}\r\n`
    const received = await exchangeRaw(`${head}Content-Length: 2\r\n\r\n{}more than that`)
    expect(statusesIn(received)).toEqual(['204'])
    expect((await tenants.ours.call('GET', `/contacts/${id}`)).status).toBe(404)
  })

  it('inside a request body is answered once, and the request is not handled', async () => {
    const { id } = await tenants.ours.createContact()
    const path = `/v1/bots/${tenants.ours.bot.id}/contacts/${id}`
    const head = `DELETE ${path} HTTP/1.1\r\nHost: natter.test\r\nAuthorization: ${tenants.ours.organizationToken}\r\n`
    const received = await exchangeRaw(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`)
    expect(statusesIn(received)).toEqual(['400'])
    expect((await tenants.ours.call('GET', `/contacts/${id}`)).status).toBe(200)
  })

  it('is logged and counted like every other answer', async () => {
    tenants.lines.length = 0
    const host = 'Host: natter.test\r\n'
    expect(statusesIn(await exchangeRaw('this is not HTTP\r\n\r\n'))).toEqual(['400'])
    expect(statusesIn(await exchangeRaw(`GET / HTTP/1.1\r\n${host}X-Filler: ${'a'.repeat(17_000)}\r\n\r\n`))).toEqual([
      '431',
    ])
    expect(statusesIn(await exchangeRaw(`GET /v1/../healthz HTTP/1.1\r\n${host}\r\n`))).toEqual(['400'])
    expect(
      statusesIn(await exchangeRaw('GET http://[ HTTP/1.1\r\nHost: natter.test\r\nConnection: close\r\n\r\n')),
    ).toEqual(['400'])
    const logged = tenants.lines.map(line => JSON.parse(line) as { route: string; status: number })
    const refused = logged.filter(({ route }) => route === 'none')
    expect(refused.map(({ status }) => status)).toEqual([400, 431, 400, 400])
    const metrics = await fetch(`http://127.0.0.1:${server.port}/metrics`)
    const text = await metrics.text()
    expect(text).toContain('http_requests_total{method="other",route="none",status="431"} 1')
    expect(text).toContain('http_requests_total{method="GET",route="none",status="400"} 1')
  })

  it('is answered even if the client keeps sending', async () => {
    const flood = `GET /healthz HTTP/1.1\r\nHost: natter.test\r\nX-Filler: ${'a'.repeat(17_000)}`
    expect(statusesIn(await exchangeRaw(flood, ...Array<string>(30).fill('b'.repeat(100_000))))).toEqual(['431'])
  })

  it('with an unknown Expect header is handled normally', async () => {
    const received = await exchangeRaw(
      'GET /healthz HTTP/1.1\r\nHost: natter.test\r\nConnection: close\r\nExpect: wonders\r\n\r\n',
    )
    expect(statusesIn(received)).toEqual(['200'])
  })
})

describe('a client that disconnects before the body is read', () => {
  it('is logged like any other request', async () => {
    const { findOrganizationToken } = tenants.store
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    tenants.store.findOrganizationToken = async hash => {
      reached.resolve()
      await goOn.promise
      return findOrganizationToken(hash)
    }
    const path = `/v1/bots/${tenants.ours.bot.id}/contacts`
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      `PUT ${path} HTTP/1.1\r\nHost: natter.test\r\nAuthorization: ${tenants.ours.organizationToken}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{',
    )
    await reached.promise
    socket.destroy()
    await once(socket, 'close')
    await new Promise(resolve => setTimeout(resolve, 50))
    tenants.lines.length = 0
    goOn.resolve()
    tenants.store.findOrganizationToken = findOrganizationToken
    await expect.poll(() => tenants.lines.join('')).toContain('"status":400')
  })
})
