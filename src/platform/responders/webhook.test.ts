import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import {
  isSignedWebhook,
  maxQuickReplies,
  type TurnRequest,
  turnRequestSchema,
  validate,
} from '../../contract/index.ts'
import { freePort } from '../../testPort.ts'
import { mintWebhookSecret } from '../domain/tokens.ts'
import { collect, messageOf, questionOf } from '../testing/scriptedResponder.ts'
import { type ReceivedRequest, startTestServer, type TestServer, webhookSecret } from '../testing/testServer.ts'
import { advanceUntil, createManualClock } from '../testing/testTenants.ts'
import { createEgressClient } from '../webhooks/egressFetch.ts'
import { askWebhook } from './webhook.ts'

const { fetch, close } = createEgressClient({ policy: 'any' })
afterAll(close)
const endpoints: TestServer[] = []
afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.close()
})

const formerSecret = mintWebhookSecret()

/** Calls the responder with an endpoint that responds like this, on a clock that advances by itself. */
async function start(
  answer: (response: ServerResponse, request: ReceivedRequest, number: number) => void,
  { length }: { length?: number } = {},
) {
  const endpoint = await startTestServer(answer)
  endpoints.push(endpoint)
  const clock = createManualClock()
  const abort = new AbortController()
  const url = `${endpoint.url}/answer?key=url-secret`
  const former = { secret: formerSecret, until: new Date(clock.now() + 60_000).toISOString() }
  const settings = { kind: 'webhook' as const, url, secret: webhookSecret, former }
  const question = questionOf(settings, 'private words')
  if (length) question.messages = Array.from({ length }, (_, index) => messageOf('visitor', 'Hello', index + 1))
  const ask = () => askWebhook(settings, question, { clock, signal: abort.signal, fetch })
  return { endpoint, clock, abort, ask, answer: () => advanceUntil(clock, 50, collect(ask())) }
}
const as = (type: string, body: string | Uint8Array) => (response: ServerResponse) =>
  void response.setHeader('content-type', type).end(body)
const json = (reply: unknown) => as('application/json', JSON.stringify(reply))
/** Sends two chunks, split after that many bytes, with a turn of the event loop in between. */
const inTwo = (type: string, text: string, cut: number) => (response: ServerResponse) => {
  const bytes = Buffer.from(text)
  response.setHeader('content-type', type).write(bytes.subarray(0, cut), () => {
    setImmediate(() => response.end(bytes.subarray(cut)))
  })
}
async function failureOf(answer: Parameters<typeof start>[0]) {
  const { endpoint, answer: ask } = await start(answer)
  const error = await ask().then(
    () => expect.fail('The responder has answered'),
    (error: unknown) => error as Error,
  )
  expect(`${error.message} ${error.stack}`).not.toMatch(/url-secret|whsec_|private words|leaked/)
  return { message: error.message, attempts: endpoint.requests.length, name: error.name }
}

describe('the webhook responder', () => {
  it('sends the messages, signed, with an id that belongs to the turn', async () => {
    const { endpoint, clock, answer } = await start(json({ text: 'Nothing.' }))
    await answer()
    const { headers, body } = await endpoint.received(1)
    const checked = validate(turnRequestSchema, JSON.parse(body))
    expect(checked).toMatchObject({
      output: {
        id: 'turn_c_3',
        type: 'turn.requested',
        botId: 'b',
        data: { conversationId: 'c', contact: { id: 'a', name: 'Ada' }, messages: [{}, {}, { text: 'private words' }] },
      },
    })
    expect(headers.get('webhook-id')).toBe('turn_c_3')
    for (const secret of [webhookSecret, formerSecret])
      expect(await isSignedWebhook(secret, headers, body, clock.now() / 1000)).toBe(true)
  })

  it('sends the last thirty messages of a long conversation', async () => {
    const { endpoint, answer } = await start(json({ text: 'Nothing.' }), { length: 40 })
    await answer()
    const { messages } = (JSON.parse((await endpoint.received(1)).body) as TurnRequest).data
    expect([messages.length, messages.at(-1)?.seq]).toEqual([30, 40])
  })

  it('accepts a complete reply as JSON', async () => {
    const reply = { text: 'It costs *nothing*.', format: 'markdown', quickReplies: ['Really?'] }
    const { answer } = await start(json({ ...reply, unknown: 1 }))
    expect(await answer()).toEqual({ ...reply, pieces: 1, silent: false })
    const plain = await start(as('Application/JSON; charset=utf-8', '{"text":"Yes."}'))
    expect(await plain.answer()).toMatchObject({ text: 'Yes.', format: 'plain', quickReplies: [] })
  })

  it('passes sources on unchecked, because a bad one must not cost the visitor the answer', async () => {
    const sources = [{ title: 'Returns', url: 'https://shop.example/returns' }, 'bad']
    const { answer } = await start(json({ text: 'Yes.', sources }))
    expect(await answer()).toMatchObject({ text: 'Yes.', sources })
    const events = `data: {"text":"Yes."}\n\ndata: ${JSON.stringify({ sources })}\n\ndata: [DONE]\n\n`
    const streamed = await start(as('text/event-stream', events))
    expect(await streamed.answer()).toMatchObject({ text: 'Yes.', sources })
  })

  it('takes null for an optional field that is not there, as typed languages write it', async () => {
    const nulls = { format: null, quickReplies: null, sources: null, handOver: null }
    const { answer } = await start(json({ text: 'Yes.', ...nulls }))
    expect(await answer()).toEqual({ text: 'Yes.', format: 'plain', quickReplies: [], pieces: 1, silent: false })
    const piece = JSON.stringify({ text: 'Yes.', ...nulls })
    const last = JSON.stringify({ text: null, quickReplies: ['More'] })
    const streamed = await start(as('text/event-stream', `data: ${piece}\n\ndata: ${last}\n\ndata: [DONE]\n\n`))
    expect(await streamed.answer()).toMatchObject({ text: 'Yes.', quickReplies: ['More'] })
  })

  it('reads the charset that the answer declares', async () => {
    const latin1 = await start(as('text/plain; charset=ISO-8859-1', Buffer.from('Olé.', 'latin1')))
    expect(await latin1.answer()).toMatchObject({ text: 'Olé.' })
    const utf16 = await start(as('application/json; charset="utf-16le"', Buffer.from('{"text":"Olé."}', 'utf16le')))
    expect(await utf16.answer()).toMatchObject({ text: 'Olé.' })
    expect(await failureOf(as('text/plain; charset=klingon', 'leaked'))).toMatchObject({
      message: 'The answer declares an unknown charset',
      attempts: 1,
    })
  })

  it('streams plain text', async () => {
    const received = Promise.withResolvers<void>()
    const { ask } = await start(async response => {
      response.setHeader('content-type', 'text/plain; charset=utf-8').write('One ')
      await received.promise
      response.end('two.')
    })
    let text = ''
    for await (const part of ask()) {
      if ('text' in part) text += part.text
      received.resolve()
    }
    expect(text).toBe('One two.')
  })

  it('parses plain text and events that are split anywhere, even inside a character', async () => {
    const text = 'Zażółć 😀.'
    const events = `: hi\r\nevent: x\r\ndata: {"text":"Zaż"}\r\n\r\ndata: {"text":\ndata: "ółć "}\n\ndata:{"text":"😀.","format":"markdown"}\r\rdata: {"quickReplies":["More"]}\n\ndata: [DONE]`
    for (let cut = 0; cut <= Buffer.byteLength(text); cut++)
      expect(await (await start(inTwo('text/plain', text, cut))).answer()).toMatchObject({ text })
    for (let cut = 0; cut <= Buffer.byteLength(events); cut++)
      expect(await (await start(inTwo('text/event-stream', events, cut))).answer()).toMatchObject({
        text,
        format: 'markdown',
        quickReplies: ['More'],
      })
  })

  it('does not reply after a 204', async () => {
    const { answer } = await start(response => void response.writeHead(204).end())
    expect(await answer()).toMatchObject({ silent: true, pieces: 0 })
  })

  it('retries after a temporary error, with the same id and a new signature', async () => {
    const { endpoint, clock, answer } = await start((response, _, number) => {
      if (number === 1) response.writeHead(429, { 'retry-after': '7' }).end()
      else if (number === 2) response.destroy()
      else json({ text: 'At last.' })(response)
    })
    const before = clock.now()
    expect(await answer()).toMatchObject({ text: 'At last.' })
    expect(clock.now() - before).toBeGreaterThanOrEqual(7000)
    const [first, , third] = endpoint.requests.map(({ headers }) => headers)
    expect(third?.get('webhook-id')).toBe(first?.get('webhook-id'))
    expect(Number(third?.get('webhook-timestamp')) - Number(first?.get('webhook-timestamp'))).toBeGreaterThanOrEqual(7)
  })

  it('gives up after three attempts, and immediately after a permanent error', async () => {
    expect(await failureOf(response => response.writeHead(503).end('leaked'))).toEqual({
      message: 'The answer had status 503',
      attempts: 3,
      name: 'AnswerError',
    })
    expect(await failureOf(response => response.destroy())).toMatchObject({ attempts: 3 })
    for (const status of [400, 401, 404, 410])
      expect(await failureOf(response => response.writeHead(status).end('leaked'))).toMatchObject({ attempts: 1 })
    expect(await failureOf(response => response.writeHead(429, { 'retry-after': '11' }).end())).toMatchObject({
      attempts: 1,
    })
  })

  it('follows no redirect', async () => {
    const elsewhere = await start(json({ text: 'leaked' }))
    for (const status of [301, 302, 303, 307, 308]) {
      const location = elsewhere.endpoint.url
      expect(await failureOf(response => response.writeHead(status, { location }).end())).toMatchObject({
        message: `The answer had status ${status}`,
        attempts: 1,
      })
    }
    expect(elsewhere.endpoint.requests).toEqual([])
  })

  it('rejects an invalid response, without quoting it', async () => {
    const tooMany = Array.from({ length: maxQuickReplies + 1 }, () => 'leaked')
    const bad: [string, ReturnType<typeof json>][] = [
      ['invalid JSON', as('application/json', '{"text":"leaked')],
      ['/text', json({ quickReplies: ['leaked'] })],
      ['/format', json({ text: 'leaked', format: 'html' })],
      ['/quickReplies', json({ text: 'leaked', quickReplies: tooMany })],
      ['/quickReplies/0', json({ text: 'leaked', quickReplies: ['leaked'.repeat(50)] })],
      ['/text', as('text/event-stream', 'data: {"text":1}\n\n')],
      ['invalid JSON', as('text/event-stream', 'data: leaked\n\n')],
      ['without [DONE]', as('text/event-stream', 'data: {"text":"leaked"}\n\n')],
      ['content type', as('text/html', 'leaked')],
      ['content type', response => void response.end('leaked')],
      ['UTF-8', as('text/plain', new Uint8Array([0xff, 0xfe, 0x41]))],
      ['UTF-8', as('text/plain', new Uint8Array([0x41, 0xc3]))],
      ['longer than 64 KiB', as('text/plain', 'x'.repeat(64 * 1024 + 1))],
      ['longer than 64 KiB', json({ text: 'x'.repeat(64 * 1024) })],
      ['longer than 1024 KiB', as('text/event-stream', ': x\n\n'.repeat(300_000))],
    ]
    for (const [message, answer] of bad)
      expect(await failureOf(answer)).toMatchObject({ message: expect.stringContaining(message), attempts: 1 })
  })

  it('never retries after a part of the reply has been streamed', async () => {
    const cut = await failureOf(response => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' }).write('Let me', () => {
        setImmediate(() => response.destroy())
      })
    })
    expect(cut).toMatchObject({ attempts: 1, message: expect.stringMatching(/^No connection/) })
  })

  it('waits 15 s for the first byte and between two, and has an overall limit', async () => {
    const { endpoint, clock, answer } = await start(() => {})
    const before = clock.now()
    await expect(answer()).rejects.toThrow('No answer for 15 s')
    expect(endpoint.requests).toHaveLength(3)
    expect(clock.now() - before).toBeGreaterThanOrEqual(45_000)
    for (const request of endpoint.requests) await request.closed

    const stuck = await start(response => void response.setHeader('content-type', 'text/plain').write('Let me'))
    const started = stuck.clock.now()
    await expect(stuck.answer()).rejects.toThrow('No answer for 15 s')
    expect(stuck.endpoint.requests).toHaveLength(1)
    expect(stuck.clock.now() - started).toBeLessThan(30_000)
  })

  it('accepts a slow response as long as it continues', async () => {
    const { clock, ask } = await start(response => {
      response.setHeader('content-type', 'text/plain')
      const next = (left: number): void => {
        if (left === 0) response.end()
        else response.write('.', () => setTimeout(() => next(left - 1), 5))
      }
      next(5)
    })
    let text = ''
    for await (const part of ask()) {
      if ('text' in part) text += part.text
      clock.advance(14_000)
    }
    expect(text.length).toBe(5)
  })

  it('disconnects when the turn is aborted, also while waiting for another attempt', async () => {
    const { endpoint, abort, ask } = await start(() => {})
    const hanging = collect(ask())
    const { closed } = await endpoint.received(1)
    abort.abort(new Error('broken off'))
    await expect(hanging).rejects.toThrow('broken off')
    await closed

    const busy = await start(response => response.writeHead(500).end())
    const waiting = collect(busy.ask())
    await (await busy.endpoint.received(1)).closed
    busy.abort.abort(new Error('broken off'))
    await expect(waiting).rejects.toThrow('broken off')
    expect(busy.endpoint.requests).toHaveLength(1)
  })

  it('reports an unreachable webhook, without its URL', async () => {
    const clock = createManualClock()
    const signal = new AbortController().signal
    const failureOf = async (url: string, secret = webhookSecret) => {
      const settings = { kind: 'webhook' as const, url, secret }
      const asked = collect(askWebhook(settings, questionOf(settings), { clock, signal, fetch }))
      const error = await advanceUntil(clock, 100, asked).catch((error: Error) => error)
      if (!(error instanceof Error)) throw new Error('The responder has answered')
      expect(`${error.message} ${error.stack}`).not.toContain('url-secret')
      return error.message
    }
    expect(await failureOf(`http://127.0.0.1:${await freePort()}/url-secret`)).toBe('No connection (ECONNREFUSED)')
    expect(await failureOf('http://user:url-secret@127.0.0.1/')).toBe('The address cannot be called')
    expect(await failureOf('no address')).toBe('The address cannot be called')
    expect(await failureOf('http://127.0.0.1/', 'no secret')).toContain('whsec_')
    expect(await failureOf('http://169.254.169.254/url-secret')).toMatch(/^The address is link-local or a cloud met/)
  })
})
