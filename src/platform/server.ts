import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { handleClientErrors, refusalResponse } from './clientErrors.ts'
import { problem } from './domain/problem.ts'
import { maxHeaderBytes } from './middleware/body.ts'
import type { Platform } from './platform.ts'
import { isStreamingBody } from './realtime/streamingBody.ts'

export interface HttpServer {
  /** The port it listens on. */
  port: number
  /** Drains, takes no new connections, ends streams, and waits for requests under way: 8 s at most. */
  close(): Promise<void>
}

export interface ServerOptions {
  host: string
  /** 0 picks a free one. */
  port: number
  /** How long a request may take to arrive, its headers and all of it; default 10 s and 30 s. */
  arrival?: { headersMs: number; wholeMs: number }
  /** How long to go on serving when it closes, as the platform's `closeStreams` does; default 0. */
  drainMs?: number | undefined
}

const closeWithinMs = 8_000
/** A request that is just arriving when the server closes has this long to be all there. */
const unusedWithinMs = 500

/** Puts an HTTP server around a platform; resolves when it accepts connections. */
export async function startServer(
  platform: Platform,
  { host, port, arrival = { headersMs: 10_000, wholeMs: 30_000 }, drainMs = 0 }: ServerOptions,
): Promise<HttpServer> {
  const end = createResponseBatcher()
  const listener = getRequestListener(
    async (request, env) => {
      // Nobody speaks HTTP/2 here, which is the other thing that these may be.
      const { incoming, outgoing } = env as { incoming: IncomingMessage; outgoing: ServerResponse }
      const { body, ...head } = await platform.handle(request, { incoming, outgoing })
      // Told its length, a body goes out in one piece with its head.
      if (typeof body === 'string' || body instanceof Uint8Array)
        head.headers['content-length'] = String(Buffer.byteLength(body))
      outgoing.writeHead(head.status, head.headers)
      if (isStreamingBody(body)) body.pipeTo(outgoing)
      else end(outgoing, body)
      return RESPONSE_ALREADY_SENT
    },
    {
      hostname: 'localhost',
      overrideGlobalObjects: false,
      // The adapter refuses hosts and addresses that make no URL.
      errorHandler: () => {
        const { body, ...head } = refusalResponse(problem('invalid_request'))
        return new Response(body, head)
      },
    },
  )
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      // Whoever dribbles a request in (slowloris) is cut off; a response, a stream's too, may take any time.
      headersTimeout: arrival.headersMs,
      requestTimeout: arrival.wholeMs,
      connectionsCheckingInterval: arrival.headersMs / 5,
      // Longer than common proxies keep theirs, which else send into a connection that is just being closed.
      keepAliveTimeout: 65_000,
    },
    listener,
  )
  handleClientErrors(server)
  // Ours: what a client expects beyond 100-continue is ignored; Node would answer 417 with nothing to read.
  server.on('checkExpectation', listener)
  // Browsers open connections ahead of need; Node does not count one on which nothing was ever asked as idle.
  const unused = new Set<Socket>()
  server.on('connection', socket => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }) => unused.delete(socket))
  await listen(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      if (drainMs > 0) await platform.closeStreams(drainMs)
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      void platform.closeStreams()
      // Connections that fall idle from now on are kept open by nobody else but the client.
      const sweep = setInterval(() => server.closeIdleConnections(), 50)
      const hangUp = setTimeout(() => {
        for (const socket of unused) socket.destroy()
      }, unusedWithinMs)
      const giveUp = setTimeout(() => server.closeAllConnections(), closeWithinMs - drainMs)
      await closed
      clearInterval(sweep)
      clearTimeout(hangUp)
      clearTimeout(giveUp)
    },
  }
}

type ResponseBatcher = (outgoing: ServerResponse, body: string | Uint8Array | null) => void

/**
 * Ends the answers of one turn of the event loop together, once all its requests have been read: a client with many
 * connections is then woken up once, which the system takes longer for than for sending.
 */
function createResponseBatcher(): ResponseBatcher {
  let ready: Parameters<ResponseBatcher>[] = []
  const endAll = (): void => {
    const ending = ready
    ready = []
    for (const [outgoing, body] of ending) outgoing.end(body)
  }
  return (...ending) => {
    if (ready.push(ending) === 1) setImmediate(endAll)
  }
}

/** Rejects where nobody may listen there: a start that fails for it should not have opened a database before. */
export async function checkAddress({ host, port }: { host: string; port: number }): Promise<void> {
  const server = createServer()
  await listen(server, host, port)
  await new Promise(resolve => server.close(resolve))
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, host, port)))
    server.listen(port, host, resolve)
  })
}

function explained(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const advice: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is in use: stop what listens there, or choose another with --port (0 picks a free one).`,
    EACCES: `Port ${port} needs more rights than this user has: choose one from 1024 on with --port.`,
    EADDRNOTAVAIL: `This machine has no address ${host}: choose another with --host.`,
    ENOTFOUND: `The host ${host} is not known: choose another with --host.`,
  }
  return new Error(advice[error.code ?? ''] ?? `Could not listen on ${host}, port ${port}: ${error.message}`, {
    cause: error,
  })
}
