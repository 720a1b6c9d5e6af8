import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join, normalize } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { startLocalServer } from '../../../src/testServer.ts'

/** The content of a page's server. */
export interface Served {
  /** The page's body. */
  body: string
  /** A folder with the files that the page loads. */
  files?: string | undefined
  /** Returns the JSON response for a path, or `undefined` if there is none. */
  answer?: ((path: string) => object | undefined) | undefined
}

export interface PageServer {
  url: string
  stop(): Promise<void>
}

const types: Record<string, string> = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

const documentOf = (body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bench</title><link rel="icon" href="data:,"></head>
<body><h1>Bench</h1>${body}</body></html>`

/** The compressed file is stored next to the original, because compressing some megabytes takes a while. */
function compressed(file: string): Buffer {
  const kept = `${file}.br`
  if (!existsSync(kept)) writeFileSync(kept, brotliCompressSync(readFileSync(file)))
  return readFileSync(kept)
}

/** Serves a page on an origin of its own. Files have the best compression, as on a good CDN. */
export async function servePage({ body, files, answer }: Served): Promise<PageServer> {
  const page = brotliCompressSync(documentOf(body))

  function find(path: string): { content: Buffer; type: string } | undefined {
    if (path === '/') return { content: page, type: 'text/html; charset=utf-8' }
    const called = answer?.(path)
    if (called) return { content: brotliCompressSync(JSON.stringify(called)), type: 'application/json' }
    const file = files && join(files, normalize(path))
    if (!file || !existsSync(file)) return undefined
    return { content: compressed(file), type: types[extname(file)] ?? 'application/octet-stream' }
  }

  const server = await startLocalServer((request, response) => {
    request.resume()
    const found = find(new URL(request.url ?? '/', 'http://localhost').pathname)
    if (!found) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': found.type, 'content-encoding': 'br' }).end(found.content)
  })
  return { url: `${server.url}/`, stop: server.close }
}
