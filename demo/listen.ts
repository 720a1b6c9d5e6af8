import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Handler = (request: Request) => Promise<Response>

/** Serves a standard `(Request) => Promise<Response>` on a port of this machine; 0 picks a free one. */
export async function listen(handler: Handler, port: number): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    answer(handler, incoming, outgoing).catch(error => {
      console.error(error)
      outgoing.writeHead(500).end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(done => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

async function answer(handler: Handler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', headers, url = '/' } = incoming
  // The shop's requests have short bodies; whoever sends more is cut off.
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > 32_768) return void outgoing.writeHead(413).end()
    chunks.push(chunk)
  }
  const request = new Request(addressOf(url, headers.host), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])),
    ...(bytes > 0 && { body: Buffer.concat(chunks) }),
  })
  const response = await handler(request)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.end(method === 'HEAD' ? undefined : Buffer.from(await response.arrayBuffer()))
}

/** The full address of a request; whatever stands in `Host`, it is some address. */
function addressOf(url: string, host = 'localhost'): URL {
  return URL.parse(url, `http://${host}`) ?? new URL('http://localhost/')
}
