import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../testPort.ts'
import { type Answer, as, modelChunk, startRemote } from '../testing/remoteResponder.ts'
import { collect } from '../testing/scriptedResponder.ts'

/** How each service answers, with a text that no error may quote. */
const services = {
  webhook: { type: 'text/plain', piece: 'leaked', end: '' },
  openai: { type: 'text/event-stream', piece: modelChunk({ content: 'leaked' }), end: 'data: [DONE]\n\n' },
}

describe.each(['webhook', 'openai'] as const)('the %s responder', kind => {
  const { type, piece, end } = services[kind]
  const begin = (response: ServerResponse, onWritten = () => {}) =>
    response.setHeader('content-type', type).write(piece, onWritten)
  const failureOf = async (respond: Answer, settings = {}) => (await startRemote(kind, respond, { settings })).failure()

  it('retries after a temporary error, and waits as long as requested', async () => {
    const { endpoint, clock, answer } = await startRemote(kind, (response, _, number) => {
      if (number === 1) response.writeHead(429, { 'retry-after': '7' }).end()
      else if (number === 2) response.destroy()
      else as(type, piece + end)(response)
    })
    const before = clock.now()
    expect(await answer()).toMatchObject({ text: 'leaked' })
    expect(endpoint.requests).toHaveLength(3)
    expect(clock.now() - before).toBeGreaterThanOrEqual(7000)
  })

  it.each<[string, number, Answer]>([
    ['had status 503', 3, response => response.writeHead(503).end('leaked')],
    ['No connection', 3, response => response.destroy()],
    ['had status 400', 1, response => response.writeHead(400).end('leaked')],
    ['had status 401', 1, response => response.writeHead(401).end('leaked')],
    ['had status 404', 1, response => response.writeHead(404).end('leaked')],
    ['had status 410', 1, response => response.writeHead(410).end('leaked')],
    ['had status 429', 1, response => response.writeHead(429, { 'retry-after': '11' }).end()],
    // A part of the reply has been streamed.
    ['No connection', 1, response => begin(response, () => setImmediate(() => response.destroy()))],
  ])('gives up with "%s" after %i attempts', async (message, attempts, respond) => {
    expect(await failureOf(respond)).toEqual({ message: expect.stringContaining(message), attempts })
  })

  it('follows no redirect, which would leak messages and key', async () => {
    const { endpoint: elsewhere } = await startRemote(kind, as(type, piece + end))
    for (const status of [301, 302, 303, 307, 308]) {
      const redirect: Answer = response => response.writeHead(status, { location: elsewhere.url }).end()
      const { endpoint, failure } = await startRemote(kind, redirect)
      const message = `The answer of ${endpoint.url} had status ${status}`
      expect(await failure()).toEqual({ message, attempts: 1 })
    }
    expect(elsewhere.requests).toEqual([])
  })

  it('waits 15 s for the first byte and between two, and then disconnects', async () => {
    const { endpoint, clock, failure } = await startRemote(kind, () => {})
    const before = clock.now()
    expect(await failure()).toEqual({ message: 'No answer for 15 s', attempts: 3 })
    expect(clock.now() - before).toBeGreaterThanOrEqual(45_000)
    for (const request of endpoint.requests) await request.closed

    const stuck = await startRemote(kind, response => begin(response))
    const started = stuck.clock.now()
    expect(await stuck.failure()).toEqual({ message: 'No answer for 15 s', attempts: 1 })
    expect(stuck.clock.now() - started).toBeLessThan(30_000)
  })

  it('accepts a slow response as long as it continues', async () => {
    let answering: ServerResponse | undefined
    const { clock, ask } = await startRemote(kind, response => {
      answering = response
      begin(response)
    })
    let pieces = 0
    for await (const part of ask()) {
      // The end of a text is an empty part.
      if (!('text' in part) || part.text === '') continue
      expect(part.text).toBe('leaked')
      clock.advance(14_000)
      if (++pieces < 5) answering?.write(piece)
      else answering?.end(end)
    }
    expect(pieces).toBe(5)
  })

  it('disconnects when the turn is aborted: before the first byte, during the reply, and between attempts', async () => {
    const brokenOff = new Error('broken off')
    const silent = await startRemote(kind, () => {})
    const hanging = collect(silent.ask())
    const { closed } = await silent.endpoint.received(1)
    silent.abort.abort(brokenOff)
    await expect(hanging).rejects.toThrow('broken off')
    await closed

    const slow = await startRemote(kind, response => begin(response))
    const reading = async () => {
      for await (const _ of slow.ask()) slow.abort.abort(brokenOff)
    }
    await expect(reading()).rejects.toThrow('broken off')
    await (await slow.endpoint.received(1)).closed

    const busy = await startRemote(kind, response => response.writeHead(500).end())
    const waiting = collect(busy.ask())
    await (await busy.endpoint.received(1)).closed
    busy.abort.abort(brokenOff)
    await expect(waiting).rejects.toThrow('broken off')
    expect(busy.endpoint.requests).toHaveLength(1)
  })

  it('reports an address that cannot be called, without showing it', async () => {
    for (const [address, message] of [
      [`http://127.0.0.1:${await freePort()}/url-secret`, 'No connection (ECONNREFUSED)'],
      ['http://user:url-secret@127.0.0.1/', 'The address cannot be called'],
      ['no address', 'The address cannot be called'],
      ['http://169.254.169.254/url-secret', expect.stringMatching(/^The address is link-local or a cloud met/)],
    ] as const) {
      const { message: reported } = await failureOf(() => {}, { url: address, baseUrl: address })
      expect(reported).toEqual(message)
    }
  })
})

it('takes the format from the attempt that succeeds', async () => {
  const { answer } = await startRemote('webhook', (response, _, number) => {
    if (number > 1) return as('text/plain', 'Two *stars*')(response)
    response.setHeader('content-type', 'text/event-stream')
    response.write('data: {"format":"markdown"}\n\n', () => setImmediate(() => response.destroy()))
  })
  expect(await answer()).toMatchObject({ text: 'Two *stars*', format: 'plain' })
})
