import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A complete request that an endpoint has received. */
export interface ReceivedRequest {
  path: string
  headers: Headers
  body: string
  /** Resolves when the other side has disconnected or has received the whole response. */
  closed: Promise<unknown>
}

/** A real HTTP server on this machine. */
export interface TestServer {
  url: string
  requests: ReceivedRequest[]
  /** The request with that number, from 1, as soon as it has arrived. */
  received(number: number): Promise<ReceivedRequest>
  close(): Promise<void>
}

/** Starts a server. `answer` gets the number of the request, from 1. */
export async function startTestServer(
  answer: (response: ServerResponse, request: ReceivedRequest, number: number) => void,
): Promise<TestServer> {
  const requests: ReceivedRequest[] = []
  const waiting: { number: number; resolve(request: ReceivedRequest): void }[] = []
  const take = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closed = once(response, 'close')
    const headers = new Headers(incoming.headers as Record<string, string>)
    let body = ''
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk
    const request = { path: incoming.url ?? '', headers, body, closed }
    const number = requests.push(request)
    for (const { resolve } of waiting.filter(waiter => waiter.number === number)) resolve(request)
    answer(response, request, number)
  }
  const server = createServer((incoming, response) => void take(incoming, response).catch(() => response.destroy()))
  // Only the other side may end an idle connection.
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    received(number) {
      const { promise, resolve } = Promise.withResolvers<ReceivedRequest>()
      const request = requests[number - 1]
      if (request) resolve(request)
      else waiting.push({ number, resolve })
      return promise
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** A secret that signs webhooks. */
export const webhookSecret = `whsec_${Buffer.from('a secret of 24 bytes now').toString('base64')}`
