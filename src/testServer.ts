import { once } from 'node:events'
import { createServer, Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** A server on this machine. */
export interface LocalServer {
  port: number
  /** Without a slash at the end. */
  url: string
  /** Also ends the connections of an HTTP server. */
  close(): Promise<void>
}

/** Lets a server listen on a free port. */
export async function listen(server: Server): Promise<LocalServer> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      if (server instanceof HttpServer) server.closeAllConnections()
      await closed
    },
  }
}

/** Starts an HTTP server. If `respond` fails, the connection breaks. */
export async function startLocalServer(
  respond: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<LocalServer> {
  const server = createServer(async (request, response) => {
    try {
      await respond(request, response)
    } catch {
      response.destroy()
    }
  })
  // Only the other side may end an idle connection.
  server.keepAliveTimeout = 600_000
  return listen(server)
}
