import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { type ProblemError, problem } from '../domain/problem.ts'
import { BatchedResponse } from './batchedResponse.ts'
import type { Connection } from './connection.ts'
import { maxHeaderBytes } from './readBody.ts'

/** What answers the requests of a server. */
export interface Platform {
  /** Answers a request; never rejects. If there is a `connection`, event streams are written to it directly. */
  fetch(request: Request, connection?: Connection): Promise<Response>
  /**
   * Creates the response to what a server cannot pass to `fetch`: input that is not valid HTTP, or its own errors. Logs and
   * counts it like every other response. `method`: the method of the request, if there is one.
   */
  refuse(error: unknown, method?: string): Refusal
  /** Logs an error of a server that goes on, for example because a connection could not be accepted. */
  logServerError(error: unknown): void
  /**
   * Reports that it is not ready, leases no more turns, and tells open streams to reconnect. Without `overMs` all streams
   * end at once. With it, they end within that time, after a pause in which load balancers notice. Requests are still
   * answered.
   */
  closeStreams(overMs?: number): Promise<void>
  /** Ends streams, turns, deliveries and background work, and closes the bus. From then on every request gets 503. */
  close(): Promise<void>
}

/** The response to input that never becomes a request of the app. */
export interface Refusal {
  status: number
  headers: Record<string, string>
  body: string
}

export interface HttpServer {
  /** The port it listens on. */
  port: number
  /** Drains, accepts no new connections, ends streams, and waits for requests in progress: 8 s in all, the drain included. */
  close(): Promise<void>
}

export interface ServerOptions {
  host: string
  /** 0 picks a free port. */
  port: number
  /** Time limits, in milliseconds, for receiving the headers and the whole request; default 10 s and 320 s. */
  receiveTimeouts?: { headersMs: number; wholeMs: number }
  /** How long to keep serving after `close`, in milliseconds; see the platform's `closeStreams`. Default 0. */
  drainMs?: number | undefined
  /**
   * Whether to replace the global `Request` and `Response` of the process by faster ones, for good; default `false`.
   * `instanceof Response` is then false for responses of the built-in `fetch`.
   */
  replaceGlobals?: boolean
}

/** A file may take 300 s after its headers. The platform's own answer comes before Node closes the connection. */
export const defaultReceiveTimeouts = { headersMs: 10_000, wholeMs: 320_000 }
const closeWithinMs = 8_000
/** The socket stays open this long after an error response, so that a client that is still sending can read it. */
const lingerMs = 1_000
/** Time for which a connection without a request stays open while the server closes. */
const unusedWithinMs = 500

/**
 * Starts an HTTP server for a platform; resolves when it accepts connections. Rejects if it cannot listen at the address.
 */
export async function startServer(
  platform: Platform,
  { host, port, receiveTimeouts = defaultReceiveTimeouts, drainMs = 0, replaceGlobals = false }: ServerOptions,
): Promise<HttpServer> {
  const listener = getRequestListener(
    // The server is HTTP/1 only, so the HTTP/2 variants of these types do not occur.
    (request, env) => platform.fetch(request, env as { incoming: IncomingMessage; outgoing: ServerResponse }),
    // Hono's adapter replaces the global Request and Response by light ones, which create a web stream only when it is
    // used. With the built-in ones, the throughput of retrieving a contact is a third lower.
    {
      overrideGlobalObjects: replaceGlobals,
      hostname: 'localhost',
      // The adapter throws a RequestError if host and path do not form a URL. The platform itself never rejects.
      errorHandler: error => {
        const { body, ...head } = platform.refuse(error instanceof RequestError ? problem('invalid_request') : error)
        return new Response(body, head)
      },
    },
  )
  const server = createServer(
    {
      ServerResponse: BatchedResponse,
      maxHeaderSize: maxHeaderBytes,
      // Cuts off clients that send a request byte by byte (slowloris). Responses, streams included, have no time limit.
      headersTimeout: receiveTimeouts.headersMs,
      requestTimeout: receiveTimeouts.wholeMs,
      connectionsCheckingInterval: receiveTimeouts.headersMs / 5,
      // Longer than the keep-alive of common proxies: otherwise a proxy may send a request on a connection that is
      // closing.
      keepAliveTimeout: 65_000,
      // `findAmbiguity` checks this header: Node's own response would have no body.
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      const found = findAmbiguity(incoming)
      if (!found) return listener(incoming, outgoing)
      const { status, headers, body } = withClose(platform.refuse(found, incoming.method))
      outgoing.writeHead(status, headers)
      outgoing.end(incoming.method === 'HEAD' ? undefined : body)
    },
  )
  handleClientErrors(server, platform)
  // Ignore any `Expect` other than 100-continue. Node's own response would be 417 with an empty body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  // Browsers open spare connections, which `closeIdleConnections` does not close before their first request.
  const unused = new Set<Socket>()
  server.on('connection', socket => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }) => unused.delete(socket))
  await listen(server, host, port)
  // For instance, no connection can be accepted while the process has too many open files. It goes on with those it has.
  server.on('error', platform.logServerError)
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      if (drainMs > 0) await platform.closeStreams(drainMs)
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      void platform.closeStreams()
      // Close connections as they become idle.
      const idleTimer = setInterval(() => server.closeIdleConnections(), 50)
      const unusedTimer = setTimeout(() => {
        for (const socket of unused) socket.destroy()
      }, unusedWithinMs)
      const forceTimer = setTimeout(() => server.closeAllConnections(), closeWithinMs - drainMs)
      await closed
      clearInterval(idleTimer)
      clearTimeout(unusedTimer)
      clearTimeout(forceTimer)
    },
  }
}

/**
 * Refuses requests that a proxy in front may interpret differently from this server. A path filter, for example, may not
 * normalize `/a/../b` to `/b`.
 */
function findAmbiguity({ httpVersion, rawHeaders, url = '/' }: IncomingMessage): ProblemError | null {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    return problem('invalid_request', { detail: 'Send one Host header.' })
  if (dotSegment.test(url)) return problem('invalid_request', { detail: 'Send a path without . and .. segments.' })
  return null
}

// URL parsers also treat percent-encoded dots and backslashes in this way. Query and fragment do not matter.
const dotSegment = /^[^?#]*[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i

/** Makes a server answer input that is not valid HTTP with a problem response. */
function handleClientErrors(server: Server, platform: Pick<Platform, 'refuse'>): void {
  const current = new WeakMap<Socket, { incoming: IncomingMessage; outgoing: ServerResponse }>()
  server.on('request', (incoming, outgoing) => {
    const { socket } = incoming
    const request = { incoming, outgoing }
    current.set(socket, request)
    outgoing.once('close', () => {
      if (current.get(socket) === request) current.delete(socket)
    })
  })

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const request = current.get(socket)
    if (error.code === 'ECONNRESET' || socket.destroyed) socket.destroy()
    // The invalid bytes follow a complete request, whose response must still be sent: ignore the bytes.
    else if (request?.incoming.complete) request.outgoing.once('close', () => socket.destroy())
    else if (request?.outgoing.headersSent) socket.destroy()
    // A socket that is no longer writable has been answered. Closing it now could lose the response.
    else if (socket.writable) answer(socket, platform.refuse(toClientProblem(error)))
  })
}

function toClientProblem({ code }: NodeJS.ErrnoException): ProblemError {
  if (code === 'HPE_HEADER_OVERFLOW') return problem('headers_too_large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problem('request_timeout')
  if (code !== 'HPE_INVALID_URL') return problem('invalid_request', { detail: 'This is not HTTP.' })
  return problem('invalid_request', { detail: 'Percent-encode the URL: it may contain only ASCII characters.' })
}

function answer(socket: Socket, refusal: Refusal): void {
  const { status, headers, body } = withClose(refusal)
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

/** A response after which the connection closes: the body of the request, if there is one, is not read. */
const withClose = ({ headers, body, ...rest }: Refusal): Refusal => ({
  ...rest,
  headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' },
  body,
})

/** Rejects if the server could not listen at the address. Call it before the database is opened. */
export async function checkAddress({ host, port }: { host: string; port: number }): Promise<void> {
  const server = createServer()
  await listen(server, host, port)
  await new Promise(resolve => server.close(resolve))
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(toListenError(error, host, port))
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const advice: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is in use: stop the program that listens there, or choose another port with --port (0 picks a free one).`,
    EACCES: `This user may not listen on port ${port}: choose a port of 1024 or higher with --port.`,
    EADDRNOTAVAIL: `This machine does not have the address ${host}: choose another with --host.`,
    ENOTFOUND: `The host name ${host} cannot be resolved: choose another with --host.`,
  }
  return new Error(advice[error.code ?? ''] ?? `Could not listen on ${host}, port ${port}: ${error.message}`, {
    cause: error,
  })
}
