import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestTenants } from '../testing/testTenants.ts'

const tenants = await createTestTenants()
const server = await tenants.serve()
afterAll(() => tenants.close())

/** Sends raw bytes and resolves to everything received until the other side disconnects. */
async function exchangeRaw(texts: string | string[], { port } = server): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
  })
  // The other side may disconnect before everything is sent.
  socket.on('error', () => {})
  for (const text of [texts].flat()) socket.write(text, 'latin1')
  await once(socket, 'close')
  return received
}
const statusesIn = (received: string): string[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)
/** Status and code of the only response, which must have a request id and be a problem if it is an error. */
function outcomeIn(received: string): string {
  expect(received).toMatch(/x-request-id: [\da-f-]{36}/i)
  const [status = '', ...others] = statusesIn(received)
  expect(others).toEqual([])
  const [, code] = /application\/problem\+json[\s\S]*"code":"(\w+)"/i.exec(received) ?? []
  return code === undefined ? status : `${status} ${code}`
}
const request = (start: string, ...headers: string[]) =>
  [`${start} HTTP/1.1`, 'Host: natter.test', 'Connection: close', ...headers, '', ''].join('\r\n')
const contacts = `/v1/bots/${tenants.ours.bot.id}/contacts`
const authorization = `Authorization: ${tenants.ours.organizationToken}`

describe('a request over a port', () => {
  it.each([
    ['without a Host header', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', '400 invalid_request'],
    ['with two Host headers', request('GET /healthz', 'host: other.test'), '400 invalid_request'],
    ['with one Host header', request('GET /healthz'), '200'],
    ['of HTTP/1.0 without a Host header', 'GET /healthz HTTP/1.0\r\n\r\n', '200'],
    ['with a Host that is none', request('GET /healthz').replace('natter.test', 'a b'), '400 invalid_request'],
    ['with a URL that is none', request('GET http://['), '400 invalid_request'],
    // By dot segments a path filter in front could be passed.
    ...['/v1/../healthz', '/./healthz', '/v1/%2e%2E/healthz', '/v1/..', '/v1\\..\\healthz', '/v1/.?x'].map(path => [
      `to ${path}`,
      request(`GET ${path}`),
      '400 invalid_request',
    ]),
    ['with dots in the query', request('GET /healthz?path=/../x'), '200'],
    ['with a name that begins with dots', request('GET /..hidden'), '404 not_found'],
    ['with headers over 16 KiB', request('GET /healthz', `X-A: ${'a'.repeat(17_000)}`), '431 headers_too_large'],
    ['that is not HTTP', 'nonsense\r\n\r\n', '400 invalid_request'],
    ['of an unknown method', request('TRACE /healthz'), '405 method_not_allowed'],
    ['with an unknown Expect header', request('GET /healthz', 'Expect: wonders'), '200'],
    ['with a second Authorization', request(`POST ${contacts}`, authorization, authorization), '400 invalid_request'],
  ])('%s gets one response', async (_, text = '', outcome) => {
    expect(outcomeIn(await exchangeRaw(text))).toBe(outcome)
  })

  it('that arrives too slowly gets 408', async () => {
    const hasty = await tenants.serve({ receiveTimeouts: { headersMs: 400, wholeMs: 800 } })
    expect(outcomeIn(await exchangeRaw('GET /healthz HTTP/1.1\r\n', hasty))).toBe('408 request_timeout')
  })

  it('with a URL that is not percent-encoded is accepted, as far as Node allows it', async () => {
    await tenants.ours.createContact({ email: 'aase+1@example.com' })
    const search = (query: string) =>
      exchangeRaw(request(`POST ${contacts}?&query=${query}`, authorization, 'Content-Length: 0'))
    expect(await search('1@example.com')).toContain('aase+1@example.com')
    expect(await search('aase%2b1@')).toContain('aase+1@example.com')
    expect(await search('"|^{%}')).toContain('"total":0')
    expect(await search(Buffer.from('Åse').toString('latin1'))).toContain('Percent-encode')
  })

  it('whose body becomes too large while it arrives is refused and disconnected', async () => {
    const headers = [authorization, 'Content-Type: application/json', 'Transfer-Encoding: chunked']
    const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`
    const answer = await exchangeRaw(request(`PUT ${contacts}`, ...headers) + chunk.repeat(3))
    expect(outcomeIn(answer)).toBe('413 body_too_large')
  })

  it('is logged like any other if its client disconnects before the body is read', async () => {
    const { findOrganizationToken } = tenants.store
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    tenants.store.findOrganizationToken = async hash => {
      reached.resolve()
      await goOn.promise
      return findOrganizationToken(hash)
    }
    const socket = connect(server.port, '127.0.0.1')
    const headers = [authorization, 'Content-Type: application/json', 'Content-Length: 50']
    socket.write(`${request(`PUT ${contacts}`, ...headers)}{`)
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

describe('invalid HTTP', () => {
  it.each([
    ['after a request is ignored', 'Content-Length: 2\r\n\r\n{}more than that', '204', 404],
    ['inside a body gets one response', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n', '400', 200],
  ])('%s, and only a complete request is handled', async (_, rest, status, afterwards) => {
    const { id } = await tenants.ours.createContact()
    const head = `DELETE ${contacts}/${id} HTTP/1.1\r\nHost: natter.test\r\n${authorization}\r\n`
    expect(statusesIn(await exchangeRaw(head + rest))).toEqual([status])
    expect((await tenants.ours.call('GET', `/contacts/${id}`)).status).toBe(afterwards)
  })

  it('is logged and counted like every other answer', async () => {
    tenants.lines.length = 0
    const filler = `X-Filler: ${'a'.repeat(17_000)}`
    for (const start of ['GET /v1/../healthz', 'GET http://[']) await exchangeRaw(request(start))
    for (const text of ['this is not HTTP\r\n\r\n', request('GET /', filler)]) await exchangeRaw(text)
    const logged = tenants.lines.map(line => JSON.parse(line) as { route: string; status: number })
    // Another test's request may still be logged.
    const refused = logged.filter(({ route }) => route === 'none')
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 431])
    const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text()
    expect(text).toMatch(/http_requests_total{method="other",route="none",status="431"} [1-9]/)
    expect(text).toMatch(/http_requests_total{method="GET",route="none",status="400"} [1-9]/)
  })

  it('is answered even if the client keeps sending', async () => {
    const flood = `GET /healthz HTTP/1.1\r\nHost: natter.test\r\nX-Filler: ${'a'.repeat(17_000)}`
    const received = await exchangeRaw([flood, ...Array<string>(30).fill('b'.repeat(100_000))])
    expect(statusesIn(received)).toEqual(['431'])
  })
})
