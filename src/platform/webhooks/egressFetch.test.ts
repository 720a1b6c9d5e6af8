import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import type { LookupFunction, Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startTestServer } from '../testing/testServer.ts'
import { createEgressClient, type EgressClient, type EgressOptions } from './egressFetch.ts'
import type { EgressPolicy } from './egressPolicy.ts'
import { addressRefusal, networkFailure } from './webhookHttp.ts'

async function start(answer: Parameters<typeof startTestServer>[0] = response => response.end('reached')) {
  const server = await startTestServer(answer)
  return { server, port: new URL(server.url).port }
}

/** A name server that gives these answers, one after the other, and then the last one again. */
function createLookup(...answers: string[][]) {
  const names: string[] = []
  const lookup: LookupFunction = (name, _, callback) => {
    const answer = answers[Math.min(names.push(name), answers.length) - 1] ?? []
    callback(
      null,
      answer.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { lookup, names }
}

function createClient(options: EgressOptions): EgressClient {
  const client = createEgressClient(options)
  onTestFinished(client.close)
  return client
}

const call = (policy: EgressPolicy, url: string, lookup?: LookupFunction) =>
  createClient({ policy, ...(lookup && { lookup }) })
    .fetch(url)
    .then(
      response => response.text(),
      (error: unknown) => addressRefusal(error)?.message ?? networkFailure(error) ?? String(error),
    )

describe('createEgressClient', () => {
  it('closes the connections that it keeps for further requests', async () => {
    let socket: Socket | null = null
    const { server } = await start(response => {
      socket = response.socket
      response.end('reached')
    })
    const client = createClient({ policy: 'any' })
    await (await client.fetch(server.url)).text()
    const closed = socket && once(socket, 'close')
    await client.close()
    expect(closed).not.toBe(null)
    await closed
  })

  it('calls a service on this machine by address and by name', async () => {
    const { server, port } = await start()
    expect(await call('any', server.url)).toBe('reached')
    expect(await call('any', `http://localhost:${port}/`)).toBe('reached')
  })

  it('calls no private or loopback address if only public ones are allowed', async () => {
    const { server, port } = await start()
    const urls = [
      ...[server.url, `http://localhost:${port}/`, `http://[::1]:${port}/`, `http://[::ffff:127.0.0.1]:${port}/`],
      ...[`http://2130706433:${port}/`, `http://0x7f.1:${port}/`, `http://0:${port}/`],
    ]
    for (const url of urls) expect(await call('public', url), url).toContain('is not public')
    const { lookup } = createLookup(['10.0.0.1', '127.0.0.1', '::1'])
    for (const protocol of ['http', 'https'])
      expect(await call('public', `${protocol}://crm.example:${port}/`, lookup)).toContain('is not public')
    expect(server.requests).toEqual([])
  })

  it('calls no metadata address, by number or by name', async () => {
    const { lookup } = createLookup(['169.254.169.254', 'fd00:ec2::254'])
    const hosts = ['169.254.169.254', '[fd00:ec2::254]', '[::ffff:a9fe:a9fe]', '2852039166', 'metadata.example']
    for (const host of hosts)
      expect(await call('any', `http://${host}/latest/meta-data`, lookup), host).toContain('metadata')
  })

  it('connects to the address that it has checked, and to no other of the same name', async () => {
    const { server, port } = await start(response => response.setHeader('connection', 'close').end('reached'))
    const { lookup, names } = createLookup(['127.0.0.1'], ['169.254.169.254'])
    const { fetch } = createClient({ policy: 'any', lookup })
    const ask = () => fetch(`http://rebind.example:${port}/`)
    expect(await (await ask()).text()).toBe('reached')
    expect(names).toEqual(['rebind.example'])
    await expect(ask().catch(error => Promise.reject(addressRefusal(error)))).rejects.toThrow('metadata')
    expect(server.requests).toHaveLength(1)
  })

  it('skips the refused ones among the addresses of a name', async () => {
    const { port } = await start()
    const { lookup } = createLookup(['169.254.169.254', '127.0.0.1'])
    expect(await call('any', `http://crm.example:${port}/`, lookup)).toBe('reached')
  })

  it('reports a name that does not resolve as a network failure', async () => {
    const lookup: LookupFunction = (_, __, callback) =>
      callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), [])
    expect(await call('any', 'http://nowhere.example/', lookup)).toBe('ENOTFOUND')
  })
})
