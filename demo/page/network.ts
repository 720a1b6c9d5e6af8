import type { NetworkName } from './switches.ts'

/** A simulated network between this page and the platform. */
export interface Network {
  fetch: typeof fetch
  set(name: NetworkName): void
  /** From now on, requests with a contact token that was used before are answered as if it had expired. */
  expireTokens(): void
  /** Resolves when all current requests have a response. A stream counts when it has opened. */
  idle(): Promise<unknown>
}

export interface NetworkOptions {
  /** Sends a request to the real network. */
  send: typeof fetch
  /** Base URL of the bot's widget endpoints. Requests elsewhere only fail while offline. */
  widgetUrl: string
  /** Simulates the browser's online and offline events. */
  onOnline(isOnline: boolean): void
}

/** A simulated response of the platform. `null`: a network error. */
type SimulatedResponse = { status: number; code: string; retryAfter?: number } | null

/** Marks a simulated response for the log. */
export const simulatedHeader = 'x-simulated'

const slowMs = 8000
const streamPath = '/events/stream'
const unavailable = { status: 503, code: 'unavailable' }

const simulations: Record<NetworkName, (request: string) => SimulatedResponse | undefined> = {
  fine: () => undefined,
  slow: () => undefined,
  offline: () => null,
  stalled: () => undefined,
  // Without a stream the widget fetches messages, and while that works all is well.
  streamless: request => (/^POST (\/events\/stream|\/messages\/list)$/.test(request) ? unavailable : undefined),
  refused: request => (request === 'POST /messages' ? { status: 400, code: 'invalid_request' } : undefined),
  limited: request =>
    request === 'POST /messages' ? { status: 429, code: 'rate_limited', retryAfter: 10 } : undefined,
  historyless: request => (request === 'POST /messages/list' ? unavailable : undefined),
  botless: request => (request === 'GET ' ? { status: 404, code: 'not_found' } : undefined),
}

/** Passes requests on, or simulates failures of the platform and the network. */
export function createNetwork({ send, widgetUrl, onOnline }: NetworkOptions): Network {
  const contactTokens = new Set<string>()
  let expired: ReadonlySet<string> = new Set()
  let current: NetworkName = 'fine'
  let streams = new AbortController()
  const pending = new Set<Promise<unknown>>()

  /** An open stream would not notice the change, so close it. */
  function cutStreams() {
    streams.abort(new TypeError('The network has changed'))
    streams = new AbortController()
  }

  function simulate(path: string | undefined, { method = 'GET', headers }: RequestInit): SimulatedResponse | undefined {
    if (path === undefined) return current === 'offline' ? null : undefined
    const [, token = ''] = new Headers(headers).get('authorization')?.split(' ') ?? []
    if (token.startsWith('c:')) contactTokens.add(token)
    if (current !== 'offline' && expired.has(token)) return { status: 401, code: 'token_expired' }
    return simulations[current](`${method} ${path}`)
  }

  async function forward(input: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
    const [url = ''] = String(input instanceof Request ? input.url : input).split('?')
    const path = url.startsWith(widgetUrl) ? url.slice(widgetUrl.length) : undefined
    const isStream = path === streamPath
    if (current === 'slow' && path !== undefined && !isStream) await new Promise(done => setTimeout(done, slowMs))
    const simulated = simulate(path, init)
    if (simulated === null) throw new TypeError('Failed to fetch')
    if (simulated) return createResponse(simulated)
    if (!isStream) return send(input, init)
    const signal = AbortSignal.any([streams.signal, ...(init.signal ? [init.signal] : [])])
    const response = await send(input, { ...init, signal })
    return current === 'stalled' ? new Response(response.body?.pipeThrough(stopInAnswer()), response) : response
  }

  return {
    fetch(input, init) {
      const response = forward(input, init)
      pending.add(response)
      const remove = () => pending.delete(response)
      response.then(remove, remove)
      return response
    },
    set(name) {
      const before = current
      current = name
      if (before === name) return
      if (name === 'offline' || name === 'streamless' || name === 'stalled') cutStreams()
      if (before === 'offline' || name === 'offline') onOnline(name !== 'offline')
    },
    expireTokens() {
      expired = new Set(contactTokens)
      cutStreams()
    },
    idle: () => Promise.allSettled(pending),
  }
}

/** Passes a stream on until an answer has begun. */
function stopInAnswer(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder()
  let hasBegun = false
  return new TransformStream({
    transform(chunk, controller) {
      if (!hasBegun) controller.enqueue(chunk)
      hasBegun ||= decoder.decode(chunk, { stream: true }).includes('message.delta')
    },
  })
}

function createResponse({ status, code, retryAfter }: NonNullable<SimulatedResponse>): Response {
  const headers = {
    'content-type': 'application/problem+json',
    [simulatedHeader]: 'yes',
    ...(retryAfter && { 'retry-after': String(retryAfter) }),
  }
  return new Response(JSON.stringify({ status, code }), { status, headers })
}
