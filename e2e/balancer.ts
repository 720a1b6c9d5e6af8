import { once } from 'node:events'
import { createServer, type IncomingMessage, request as open, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/** A load balancer as plain as they come: each request goes to the next node, whoever asks. */
export interface Balancer {
  baseUrl: string
  stop(): Promise<void>
}

export async function startBalancer(ports: number[]): Promise<Balancer> {
  let turn = 0

  function pass(request: IncomingMessage, body: Buffer, response: ServerResponse, left = ports.length): void {
    const { method, url: path, headers } = request
    const port = ports[turn++ % ports.length]
    const asked = open({ host: '127.0.0.1', port, method, path, headers, agent: false })
    asked.on('response', answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      pipeline(answer, response, () => {})
    })
    asked.on('error', (error: NodeJS.ErrnoException) => {
      // Nobody listens there: the request has reached no node yet.
      if (error.code === 'ECONNREFUSED' && left > 1) pass(request, body, response, left - 1)
      else response.destroy()
    })
    response.on('close', () => asked.destroy())
    asked.end(body)
  }

  const server = createServer(async (request, response) => {
    try {
      pass(request, await buffer(request), response)
    } catch {
      // Whoever asked has gone.
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
