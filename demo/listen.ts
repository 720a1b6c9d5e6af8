import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'

/** Serves a `fetch` handler on a port of this machine. Port 0 picks a free one. */
export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  port: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const { promise, resolve, reject } = Promise.withResolvers<AddressInfo>()
  const server = serve({ fetch, port, hostname: '127.0.0.1' }, resolve).once('error', reject) as Server
  const address = await promise
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise(done => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
