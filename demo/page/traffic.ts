import type { Line } from './log.ts'
import { playedHeader } from './network.ts'

export interface TrafficOptions {
  send: typeof fetch
  /** The page's own: what goes there goes to the shop. */
  origin: string
  onLine(line: Line): void
  /** Told after each request and answer: how many have been searched for an organization token, and how many held one. */
  onSearched(counts: { searched: number; found: number }): void
}

/** A `fetch` that tells of every request of this page, the widget's included: a demo may look over its own shoulder. */
export function createTraffic({ send, origin, onLine, onSearched }: TrafficOptions): typeof fetch {
  const counts = { searched: 0, found: 0 }
  const search = (text: string) => {
    counts.searched++
    if (/\bo_[\w-]{43}/.test(text)) counts.found++
    onSearched({ ...counts })
  }

  return async (input, init) => {
    const given = input instanceof Request ? input : undefined
    const { href, origin: target, pathname } = new URL(given?.url ?? String(input), origin)
    const isOwn = target === origin
    const headers = new Headers(init?.headers ?? given?.headers)
    const line: Line = {
      lane: isOwn ? 'browser-shop' : 'browser-platform',
      text: `${init?.method ?? given?.method ?? 'GET'} ${shortened(pathname)}`,
      detail: isOwn ? 'session cookie' : bearerOf(headers),
    }
    // Nothing is waited for before the request goes out: the page may be about to close.
    search([href, ...headers.values(), init?.body].join('\n'))
    try {
      const response = await send(input, init)
      const isPlayed = response.headers.has(playedHeader)
      onLine({ ...line, status: response.status, ...(isPlayed && { detail: 'played by this page' }) })
      if (isOwn) serverCalls(response).forEach(onLine)
      void searchable(response).then(search, () => {})
      return response
    } catch (error) {
      const isAborted = error instanceof Error && error.name === 'AbortError'
      onLine({ ...line, text: `${line.text} ${isAborted ? 'ended' : 'failed'}` })
      throw error
    }
  }
}

/** Head and body of an answer; a stream is left alone, since a second reader would keep it open. */
async function searchable(response: Response): Promise<string> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  return [...response.headers.values()].join('\n') + (isStream ? '' : await response.clone().text())
}

/** What the shop's server has asked the platform while it answered. */
function serverCalls({ headers }: Response): Line[] {
  const calls = JSON.parse(headers.get('x-platform-calls') ?? '[]') as string[]
  return calls.map(call => {
    const [method, path = '', status] = call.split(' ')
    const text = `${method} ${shortened(path)}`
    return { lane: 'shop-platform', text, status: Number(status), detail: 'organization token' }
  })
}

function bearerOf(headers: Headers): string {
  const [, kind] = /^Bearer (.)/.exec(headers.get('authorization') ?? '') ?? []
  if (kind === undefined) return 'no token'
  return { c: 'contact token', v: 'visitor token', o: 'organization token' }[kind] ?? 'another token'
}

/** Without what is the same in every path of the platform, and without ids. */
const shortened = (path: string): string =>
  path.replace(/^.*\/v1\/bots\/[^/]+/, '…').replace(/\/[\da-f-]{36}/g, '/{id}')
