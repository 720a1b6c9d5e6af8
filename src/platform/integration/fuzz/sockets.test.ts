import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { report, scale } from '../../../testScale.ts'
import { bytesOf } from '../../testing/fuzz/bodies.ts'
import { expectWellFormed } from '../../testing/fuzz/checkResponses.ts'
import { createFuzzTarget } from '../../testing/fuzz/fuzzTarget.ts'
import { type GeneratedRequest, generatedRequests } from '../../testing/fuzz/requests.ts'
import { openapiValidator } from '../../testing/withOpenapiChecks.ts'

// Behind a proxy, so that forwarded headers are read, and with limits, so that requests are counted.
const target = await createFuzzTarget({ rateLimit: 1_000_000, trustedProxies: ['127.0.0.1'] })
const server = await target.tenants.serve()
afterAll(() => target.close())

const framings = ['chunked', 'odd chunks', 'broken chunk', 'too short', 'too long', 'both'] as const
/** Requests that `fetch` would not send. */
interface Mutation {
  line?: (method: string, path: string) => string
  headers?: string[]
  /** Length of an additional header. */
  filler?: number
  framing?: 'length' | (typeof framings)[number]
}
const latin1 = fc.string({
  unit: fc.integer({ min: 1, max: 255 }).map(code => String.fromCharCode(code)),
  maxLength: 60,
})
const header = fc.constantFrom(
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID', 'Origin', 'X-Forwarded-For'],
  ...['Content-Length', 'Transfer-Encoding', 'Host', 'Expect', 'Upgrade'],
)
const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  fc.constant({}),
  fc.record({ framing: fc.constantFrom(...framings) }),
  fc.tuple(header, latin1).map(([name, value]) => ({ headers: [`${name}: ${value}`] })),
  fc.tuple(header, latin1).map(([name, value]) => ({ headers: [`${name}: x`, `${name}: ${value}`] })),
  latin1.map(text => ({ headers: [text] })),
  fc.constantFrom(100, 16_000, 17_000, 1_000_000).map(filler => ({ filler })),
  fc
    .constantFrom(100, 1900, 5000)
    .map(count => ({ headers: Array.from({ length: count }, (_, index) => `A${index}: b`) })),
  fc.constantFrom('100-continue', 'nonsense').map(value => ({ headers: [`Expect: ${value}`] })),
  fc.constantFrom('websocket', 'h2c').map(value => ({ headers: [`Upgrade: ${value}`, 'Connection: Upgrade'] })),
  fc
    .constantFrom<NonNullable<Mutation['line']>[]>(
      (method, path) => `${method} ${path} HTTP/1.0`,
      (method, path) => `${method} ${path} HTTP/2.0`,
      (method, path) => `${method} http://evil.example${path} HTTP/1.1`,
      (method, path) => `${method} //${path} HTTP/1.1`,
      (method, path) => `${method} ${path}#part HTTP/1.1`,
      (method, path) => `${method.toLowerCase()} ${path} HTTP/1.1`,
      (_, path) => `TRACE ${path} HTTP/1.1`,
      (method, path) => `${method} ${path} x HTTP/1.1`,
      (method, path) => `${method} ${path}/\xe9\x00 HTTP/1.1`,
      method => `${method} * HTTP/1.1`,
      () => 'PRI * HTTP/2.0',
      (_, path) => path,
    )
    .map(line => ({ line })),
)

function wireOf(generated: GeneratedRequest, { line, headers = [], filler, framing = 'length' }: Mutation): Buffer {
  const path = target.pathOf(generated).replace(/[^\x21-\x7e]/g, encodeURIComponent)
  const body = Buffer.from(bytesOf(generated.body) ?? [])
  const chunk = (size: string, data: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`${size}\r\n`), data, Buffer.from('\r\n')])
  const length = { 'too short': body.length >> 1, 'too long': body.length + 10 } as Record<string, number>
  const chunked = framing.includes('chunk') || framing === 'both'
  const sizes = {
    chunked: [chunk(body.length.toString(16), body)],
    'odd chunks': [...body.subarray(0, 300)].map(byte => chunk('0001;x="y"', Buffer.from([byte]))),
    'broken chunk': [chunk('zz', body)],
    both: [chunk(body.length.toString(16), body)],
  } as Record<string, Buffer[]>
  const head = [
    line?.(generated.method, path) ?? `${generated.method} ${path} HTTP/1.1`,
    'Host: natter.test',
    'Connection: close',
    ...target.headersOf(generated).map(([name, value]) => `${name}: ${value}`),
    ...(chunked ? ['Transfer-Encoding: chunked'] : []),
    ...(!chunked || framing === 'both' ? [`Content-Length: ${length[framing] ?? body.length}`] : []),
    ...headers,
    ...(filler ? [`X-Filler: ${'a'.repeat(filler)}`] : []),
  ]
  const content = chunked ? [...(sizes[framing] ?? []).filter(() => body.length > 0), Buffer.from('0\r\n\r\n')] : [body]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), ...content])
}

/** Sends raw bytes and reads until the other side closes. Of a stream it reads only the head. */
async function exchangeRaw(bytes: Buffer, disconnects: boolean): Promise<string> {
  const socket = connect(server.port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
    if (/text\/event-stream[\s\S]*\r\n\r\n/.test(received)) socket.destroy()
  })
  // The other side may disconnect before everything is sent.
  socket.on('error', () => {})
  const closed = new Promise(resolve => socket.once('close', resolve))
  socket.write(bytes)
  if (disconnects) socket.end()
  const tooLong = setTimeout(() => socket.destroy(), 5000)
  await closed
  clearTimeout(tooLong)
  return received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
}

function parse(received: string): { status: number; headers: Headers; text: string } {
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = new Headers(fields.map(field => field.split(/: (.*)/s).slice(0, 2) as [string, string]))
  const raw = rest.join('\r\n\r\n')
  const text = headers.get('transfer-encoding') === 'chunked' ? raw.replace(/(?:^|\r\n)[\da-f]+\r\n/g, '').trim() : raw
  return { status: Number(line.split(' ')[1]), headers, text: Buffer.from(text, 'latin1').toString() }
}

describe('anything sent over a socket', () => {
  it('gets the same response as in memory, or is refused as invalid HTTP, and leaves nothing partially written', async () => {
    const statuses: Record<string, number> = {}
    const property = fc.asyncProperty(generatedRequests, mutations, async (generated, mutation) => {
      const before = target.snapshot()
      const bytes = wireOf(generated, mutation)
      // A client that disconnects in the middle of a request receives nothing.
      const disconnects = mutation.framing === 'too long'
      const received = await exchangeRaw(bytes, disconnects)
      const description = `${bytes.toString('latin1').slice(0, 1500)}\n\n${received.slice(0, 1500)}`
      if (disconnects) expect(target.snapshot(), description).toBe(before)
      if (disconnects && received === '') return
      expect(received, description).toMatch(/^HTTP\/1\.1 \d{3} /)
      const { status, headers, text } = parse(received)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (headers.get('content-type') === 'text/event-stream') return
      try {
        expectWellFormed({ method: generated.method, response: { status, headers }, text, secrets: target.tokens() })
        // A mutated request line may name another endpoint, or none.
        const request = { method: generated.method, url: `http://natter.test${target.pathOf(generated)}` }
        const breaches = openapiValidator().violations({ ...request, status, headers, body: text })
        if (!mutation.line) expect(breaches).toEqual([])
      } catch (cause) {
        throw new Error(description, { cause })
      }
      if (status >= 400) expect(target.snapshot(), description).toBe(before)
      else if (mutation.line || generated.method === 'DELETE') await target.replaceEnded()
    })
    await fc.assert(property, { numRuns: scale.fuzzedSockets, seed: scale.seed })
    report(`${scale.fuzzedSockets} requests over sockets: ${JSON.stringify(statuses)}`)
    expect(statuses[200]).toBeGreaterThan(5)
  }, 1_800_000)
})
