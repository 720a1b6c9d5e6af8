import { type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { startLocalServer } from '../src/testServer.ts'

/** A round-robin load balancer. */
export interface LoadBalancer {
  baseUrl: string
  stop(): Promise<void>
}

export async function startLoadBalancer(ports: number[]): Promise<LoadBalancer> {
  let next = 0

  function forward(request: IncomingMessage, body: Buffer, response: ServerResponse, attempts = ports.length): void {
    const { method, url: path, headers } = request
    const port = ports[next++ % ports.length]
    const upstream = openRequest({ host: '127.0.0.1', port, method, path, headers, agent: false })
    upstream.on('response', upstreamResponse => {
      response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
      pipeline(upstreamResponse, response, () => {})
    })
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      // This node is down and has not received the request, so it is safe to try the next one.
      if (error.code === 'ECONNREFUSED' && attempts > 1) forward(request, body, response, attempts - 1)
      else response.destroy()
    })
    response.on('close', () => upstream.destroy())
    upstream.end(body)
  }

  // It fails if the client has disconnected.
  const server = await startLocalServer(async (request, response) => forward(request, await buffer(request), response))
  return { baseUrl: server.url, stop: server.close }
}
