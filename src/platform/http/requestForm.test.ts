import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestTenants, type TestTenants } from '../testing/testTenants.ts'
import { type HttpServer, startServer } from './server.ts'

let tenants: TestTenants
let server: HttpServer
beforeAll(async () => {
  tenants = await createTestTenants()
  const receiveTimeouts = { headersMs: 400, wholeMs: 800 }
  server = await startServer(tenants.platform, { host: '127.0.0.1', port: 0, receiveTimeouts })
})
afterAll(async () => {
  await server.close()
  await tenants.close()
})

/** Sends a text and reads until the server hangs up. */
async function talk(text: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  return received
}
const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Connection: close', ...headers, '', ''].join('\r\n')
const host = 'Host: natter.test'

/** Status and code of an answer, which must bear a request id. */
function outcomeOf(received: string): string {
  expect(received).toMatch(/x-request-id: [0-9a-f-]{36}/i)
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(received) ?? []
  const [, code] = /"code":"(\w+)"/.exec(received) ?? []
  return [status, code].filter(part => part !== undefined).join(' ')
}

describe('the form of requests', () => {
  it('refuses none or two Host headers with a problem', async () => {
    expect(outcomeOf(await talk(get('/healthz')))).toBe('400 invalid_request')
    expect(outcomeOf(await talk(get('/healthz', host, 'host: other.test')))).toBe('400 invalid_request')
    expect(outcomeOf(await talk(get('/healthz', host)))).toBe('200')
    expect(outcomeOf(await talk('GET /healthz HTTP/1.0\r\n\r\n'))).toBe('200')
  })

  it('refuses dot segments, by which a path filter in front could be passed', async () => {
    for (const path of ['/v1/../healthz', '/./healthz', '/v1/%2e%2E/healthz', '/v1/..', '/v1\\..\\healthz', '/v1/.?x'])
      expect([path, outcomeOf(await talk(get(path, host)))]).toEqual([path, '400 invalid_request'])
    expect(outcomeOf(await talk(get('/healthz?path=/../x', host)))).toBe('200')
    expect(outcomeOf(await talk(get('/..hidden', host)))).toBe('404 not_found')
  })

  it('answers 408 with a problem to a request that arrives too slowly', async () => {
    expect(outcomeOf(await talk(`GET /healthz HTTP/1.1\r\n${host}\r\n`))).toBe('408 request_timeout')
  })
})
