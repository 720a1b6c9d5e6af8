import type { LogLine } from './log.ts'
import { simulatedHeader } from './network.ts'

export interface TrafficOptions {
  send: typeof fetch
  /** The page's origin, which is that of the shop. */
  origin: string
  /** The URL at which the widget asks who is signed in. */
  tokenUrl: string | undefined
  onLine(line: LogLine): void
  /**
   * Called after each request and response: how many were searched for an organization token, and how many contained
   * one.
   */
  onSearched(counts: { searched: number; found: number }): void
}

/** A `fetch` that logs every request of this page, including those of the widget. */
export function createTraffic({ send, origin, tokenUrl, onLine, onSearched }: TrafficOptions): typeof fetch {
  const counts = { searched: 0, found: 0 }
  const search = (text: string) => {
    counts.searched++
    if (/\bo_[\w-]{43}/.test(text)) counts.found++
    onSearched({ ...counts })
  }

  return async (input, init) => {
    const request = input instanceof Request ? input : undefined
    const { href, origin: target, pathname } = new URL(request?.url ?? String(input), origin)
    const isOwn = target === origin
    const headers = new Headers(init?.headers ?? request?.headers)
    const ownDetail = pathname === tokenUrl ? 'asked by the chat, session cookie' : 'session cookie'
    const line: LogLine = {
      direction: isOwn ? 'browser-shop' : 'browser-platform',
      text: `${init?.method ?? request?.method ?? 'GET'} ${shortenPath(pathname)}`,
      detail: isOwn ? ownDetail : tokenKind(headers),
    }
    // Do not await anything before the request is sent: the page may be closing.
    search([href, ...headers.values(), init?.body].join('\n'))
    try {
      const response = await send(input, init)
      const isSimulated = response.headers.has(simulatedHeader)
      onLine({ ...line, status: response.status, ...(isSimulated && { detail: 'simulated by this page' }) })
      if (isOwn) serverCalls(response).forEach(onLine)
      void readText(response).then(search, () => {})
      return response
    } catch (error) {
      const isAborted = error instanceof Error && error.name === 'AbortError'
      onLine({ ...line, text: `${line.text} ${isAborted ? 'ended' : 'failed'}` })
      throw error
    }
  }
}

/** Headers and body of a response. A stream's body is not read, because a second reader would keep it open. */
async function readText(response: Response): Promise<string> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  return [...response.headers.values()].join('\n') + (isStream ? '' : await response.clone().text())
}

/** The platform calls that the shop's server made for this response. */
function serverCalls({ headers }: Response): LogLine[] {
  const calls = JSON.parse(headers.get('x-platform-calls') ?? '[]') as string[]
  return calls.map(call => {
    const [method, path = '', status] = call.split(' ')
    const text = `${method} ${shortenPath(path)}`
    return { direction: 'shop-platform', text, status: Number(status), detail: 'organization token' }
  })
}

function tokenKind(headers: Headers): string {
  const [, kind] = /^Bearer (.)/.exec(headers.get('authorization') ?? '') ?? []
  if (kind === undefined) return 'no token'
  return { c: 'contact token', v: 'visitor token', o: 'organization token' }[kind] ?? 'another token'
}

/** Shortens a path: without the part that all platform paths share, and without ids. */
const shortenPath = (path: string): string =>
  path.replace(/^.*\/v1\/bots\/[^/]+/, '…').replace(/\/[\da-f-]{36}/g, '/{id}')
