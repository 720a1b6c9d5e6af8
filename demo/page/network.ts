import type { NetworkName } from './switches.ts'

/** The network between this page and the rest, as the panel has set it. */
export interface Network {
  fetch: typeof fetch
  set(name: NetworkName): void
  /** Requests that bear this token are answered as the platform answers a year later. */
  expire(token: string): void
  /** Resolves when what has been asked so far is answered; a stream is when it begins. */
  idle(): Promise<unknown>
}

export interface NetworkOptions {
  /** What really goes out. */
  send: typeof fetch
  /** Where the bot's endpoints for widgets begin; what goes elsewhere is only held up where nothing goes. */
  widgetUrl: string
  /** The browser's own word about the network. */
  onOnline(isOnline: boolean): void
}

/** An answer given in the platform's place; `null`: none comes. */
type Played = { status: number; code: string; retryAfter?: number } | null

/** Tells the log that nobody but this page has given the answer. */
export const playedHeader = 'x-played-here'

const slowMs = 8000
const streamPath = '/events/stream'
const unavailable = { status: 503, code: 'unavailable' }

const plays: Record<NetworkName, (request: string) => Played | undefined> = {
  fine: () => undefined,
  slow: () => undefined,
  offline: () => null,
  // Without a stream the widget fetches messages, and while that works all is well.
  streamless: request => (/^POST (\/events\/stream|\/messages\/list)$/.test(request) ? unavailable : undefined),
  refused: request => (request === 'POST /messages' ? { status: 400, code: 'invalid_request' } : undefined),
  limited: request =>
    request === 'POST /messages' ? { status: 429, code: 'rate_limited', retryAfter: 10 } : undefined,
  historyless: request => (request === 'POST /messages/list' ? unavailable : undefined),
  botless: request => (request === 'GET ' ? { status: 404, code: 'not_found' } : undefined),
}

/** Lets requests pass, or plays what the platform and the network do on a bad day. */
export function createNetwork({ send, widgetUrl, onOnline }: NetworkOptions): Network {
  const expired = new Set<string>()
  let now: NetworkName = 'fine'
  let streams = new AbortController()
  const underWay = new Set<Promise<unknown>>()

  /** What holds a stream open would never ask again, and so never hear what has changed. */
  function cutStreams() {
    streams.abort(new TypeError('The network has changed'))
    streams = new AbortController()
  }

  function play(path: string | undefined, { method = 'GET', headers }: RequestInit): Played | undefined {
    if (path === undefined) return now === 'offline' ? null : undefined
    const [, token = ''] = new Headers(headers).get('authorization')?.split(' ') ?? []
    if (now !== 'offline' && expired.has(token)) return { status: 401, code: 'token_expired' }
    return plays[now](`${method} ${path}`)
  }

  async function pass(input: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
    const [url = ''] = String(input instanceof Request ? input.url : input).split('?')
    const path = url.startsWith(widgetUrl) ? url.slice(widgetUrl.length) : undefined
    const isStream = path === streamPath
    if (now === 'slow' && path !== undefined && !isStream) await new Promise(done => setTimeout(done, slowMs))
    const played = play(path, init)
    if (played === null) throw new TypeError('Failed to fetch')
    if (played) return answer(played)
    if (!isStream) return send(input, init)
    return send(input, { ...init, signal: AbortSignal.any([streams.signal, ...(init.signal ? [init.signal] : [])]) })
  }

  return {
    fetch(input, init) {
      const passing = pass(input, init)
      underWay.add(passing)
      const forget = () => underWay.delete(passing)
      passing.then(forget, forget)
      return passing
    },
    set(name) {
      const before = now
      now = name
      if (before === name) return
      if (name === 'offline' || name === 'streamless') cutStreams()
      if (before === 'offline' || name === 'offline') onOnline(name !== 'offline')
    },
    expire(token) {
      expired.add(token)
      cutStreams()
    },
    idle: () => Promise.allSettled(underWay),
  }
}

function answer({ status, code, retryAfter }: NonNullable<Played>): Response {
  const headers = {
    'content-type': 'application/problem+json',
    [playedHeader]: 'yes',
    ...(retryAfter && { 'retry-after': String(retryAfter) }),
  }
  return new Response(JSON.stringify({ status, code }), { status, headers })
}
