import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestTenants } from '../testing/testTenants.ts'

const tenants = await createTestTenants()
const server = await tenants.serve({ receiveTimeouts: { headersMs: 1000, wholeMs: 1500 } })
const url = `http://127.0.0.1:${server.port}`
const path = `/v1/bots/${tenants.ours.bot.id}`
const { organizationToken } = tenants.ours
afterAll(() => tenants.close())

const many = 100
const paceMs = 20

/** Sends the beginning at once and then one byte at a time. Resolves to what was received when the connection is closed. */
async function sendSlowly(beginning: string, byte: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  socket.on('error', () => {})
  socket.write(beginning)
  const timer = setInterval(() => socket.write(byte), paceMs)
  await new Promise(resolve => socket.once('close', resolve))
  clearInterval(timer)
  return received
}

/** Twenty other clients create contacts. They are connected already, so that the time a connection takes does not matter. */
async function others(): Promise<number[]> {
  const headers = { authorization: organizationToken, 'content-type': 'application/json' }
  const attempts = Array.from({ length: 20 }, async () => {
    const body = JSON.stringify({ name: 'Ada', email: `${randomUUID()}@example.com` })
    return (await fetch(`${url}${path}/contacts`, { method: 'PUT', headers, body })).status
  })
  return Promise.all(attempts)
}
const countContacts = async (): Promise<number> => {
  const found = (await (await tenants.ours.call('POST', '/contacts')).json()) as { pagination: { total: number } }
  return found.pagination.total
}

describe('a client that sends a request byte by byte', () => {
  const host = 'HTTP/1.1\r\nHost: natter.test\r\n'
  const create = `PUT ${path}/contacts ${host}Content-Length: 30000\r\n`
  const json = `Content-Type: application/json\r\nAuthorization: ${organizationToken}\r\n`
  it.each([
    ['the headers', `GET /healthz ${host}X-Slow: `, 'a'],
    ['the body', `${create}${json}\r\n{"name":"`, 'b'],
    ['the body, without a token', `${create}\r\n{`, 'c'],
    ['nothing that is HTTP', '', '\r\n'],
  ])('is disconnected in time while others are served: %s', async (_, beginning, byte) => {
    const before = await countContacts()
    const attempts = Array.from({ length: 20 }, () => fetch(`${url}/healthz`))
    for (const response of await Promise.all(attempts)) await response.text()
    const slow = Array.from({ length: many }, () => sendSlowly(beginning, byte))
    expect(await others()).toEqual(Array(20).fill(201))
    for (const received of await Promise.all(slow)) expect(received).toMatch(/^(?:HTTP\/1\.1 (?:408|401) |$)/)
    expect(await countContacts()).toBe(before + 20)
    expect(tenants.lines.filter(line => /"level":[56]0/.test(line))).toEqual([])
  })

  it('is not disconnected while it reads a stream, however long it lasts', async () => {
    const socket = connect(server.port, '127.0.0.1')
    await once(socket, 'connect')
    const token = await tenants.ours.visitorToken()
    socket.write(`GET ${path}/widget/events ${host}Authorization: ${token}\r\n\r\n`)
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
