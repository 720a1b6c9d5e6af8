import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ProblemError, problem } from '../domain/problem.ts'
import type { Refusal, Refuse } from './refuse.ts'

/** The socket stays open this long after an error response, so that a client that is still sending can read it. */
const lingerMs = 1_000

/** Makes a server answer input that is not valid HTTP with a problem response. */
export function handleClientErrors(server: Server, refuse: Refuse): void {
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
    else if (socket.writable) answer(socket, refuse(problemOf(error)))
  })
}

function problemOf({ code }: NodeJS.ErrnoException): ProblemError {
  if (code === 'HPE_HEADER_OVERFLOW') return problem('headers_too_large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problem('request_timeout')
  if (code !== 'HPE_INVALID_URL') return problem('invalid_request', { detail: 'This is not HTTP.' })
  return problem('invalid_request', { detail: 'Percent-encode the URL: it may contain only ASCII characters.' })
}

function answer(socket: Socket, { status, headers, body }: Refusal): void {
  const fields = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
