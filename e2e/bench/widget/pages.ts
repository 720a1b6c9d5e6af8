import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { brotliCompressSync } from 'node:zlib'

/** What a page's server serves. */
export interface Served {
  /** The page's body. */
  body: string
  /** A folder with what the page loads. */
  files?: string | undefined
  /** JSON for what is called; `undefined`: there is no such thing. */
  answer?: ((path: string) => object | undefined) | undefined
}

export interface PageServer {
  url: string
  stop(): Promise<void>
}

const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }

const documentOf = (body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bench</title><link rel="icon" href="data:,"></head>
<body><h1>Bench</h1>${body}</body></html>`

/** A page on an origin of its own; files are compressed as well as can be, as a good CDN would have them. */
export async function servePage({ body, files, answer }: Served): Promise<PageServer> {
  const compressed = new Map<string, Buffer>()
  const page = brotliCompressSync(documentOf(body))

  function find(path: string): { content: Buffer; type: string } | undefined {
    if (path === '/') return { content: page, type: 'text/html; charset=utf-8' }
    const called = answer?.(path)
    if (called) return { content: brotliCompressSync(JSON.stringify(called)), type: 'application/json' }
    const file = files && join(files, normalize(path))
    if (!file || !existsSync(file)) return undefined
    const content = compressed.get(file) ?? brotliCompressSync(readFileSync(file))
    compressed.set(file, content)
    return { content, type: types[extname(file)] ?? 'application/octet-stream' }
  }

  const server = createServer((request: IncomingMessage, response) => {
    request.resume()
    const found = find(new URL(request.url ?? '/', 'http://localhost').pathname)
    if (!found) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': found.type, 'content-encoding': 'br' }).end(found.content)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () =>
      new Promise(done => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
