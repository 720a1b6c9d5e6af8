import type { Line } from './log.ts'

/**
 * Tells of every request of this page, the widget's included: a demo may look over its own shoulder. The requests
 * themselves go out as they are.
 */
export function watchTraffic(onLine: (line: Line) => void): void {
  const send = window.fetch.bind(window)
  window.fetch = async (input, init) => {
    const given = input instanceof Request ? input : undefined
    const { origin, pathname } = new URL(given?.url ?? String(input), location.href)
    const isOwn = origin === location.origin
    const line: Line = {
      lane: isOwn ? 'browser-shop' : 'browser-platform',
      text: `${init?.method ?? given?.method ?? 'GET'} ${shortened(pathname)}`,
      bearer: isOwn ? 'session cookie' : bearerOf(new Headers(init?.headers ?? given?.headers)),
    }
    try {
      const response = await send(input, init)
      onLine({ ...line, status: response.status })
      if (isOwn) serverCalls(response).forEach(onLine)
      return response
    } catch (error) {
      const isAborted = error instanceof Error && error.name === 'AbortError'
      onLine({ ...line, text: `${line.text} ${isAborted ? 'ended' : 'failed'}` })
      throw error
    }
  }
}

/** What the shop's server has asked the platform while it answered. */
function serverCalls({ headers }: Response): Line[] {
  const calls = JSON.parse(headers.get('x-platform-calls') ?? '[]') as string[]
  return calls.map(call => {
    const [method, path = '', status] = call.split(' ')
    const text = `${method} ${shortened(path)}`
    return { lane: 'shop-platform', text, status: Number(status), bearer: 'organization token' }
  })
}

function bearerOf(headers: Headers): string | undefined {
  const [, kind] = /^Bearer (.)/.exec(headers.get('authorization') ?? '') ?? []
  if (kind === undefined) return undefined
  return { c: 'contact token', v: 'visitor token', o: 'organization token' }[kind] ?? 'another token'
}

/** Without what is the same in every path of the platform. */
const shortened = (path: string): string => path.replace(/^.*\/v1\/bots\/[^/]+/, '…')
