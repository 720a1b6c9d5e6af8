import type { IdempotencyKey } from '../domain/idempotency.ts'
import type { StreamingBody } from '../realtime/streamingBody.ts'
import type { Bot, SessionRow } from '../store/store.ts'

/** Node's objects for the connection of a request; empty if the platform is called in memory. */
export interface Connection {
  incoming?: IncomingRequest
  outgoing?: { destroy(): unknown }
}

/** The parts of Node's `IncomingMessage` that the platform uses. */
export interface IncomingRequest {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly socket: { readonly remoteAddress?: string | undefined }
  /** No more data will arrive. */
  readonly destroyed?: boolean
  /** All data has arrived. */
  readonly readableEnded?: boolean
  on(event: 'data' | 'end' | 'error' | 'close', listener: (chunk: Uint8Array) => void): unknown
  pause(): unknown
}

/** A response as plain data. Header names are in lower case. */
export interface HttpResponse {
  status: number
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer> | StreamingBody | null
}

/** A request, and what the middleware has found out about it. */
export interface RequestContext {
  readonly request: Request
  readonly connection: Connection
  readonly requestId: string
  /** When it arrived, on the platform's monotonic clock; without the time that its client took to send the body. */
  arrivedAt: number
  /** The path's template. Logs and metrics use only this form, since one path contains a token. */
  route: string
  /** Path parameters, decoded. */
  parameters: Record<string, string>
  /** Headers of the response, whether success or error. */
  readonly headers: Record<string, string>
  bot: Bot | null
  session: SessionRow | null
  query: unknown
  body: unknown
  idempotencyKey: IdempotencyKey | undefined
}

/** Runs before the handler: adds to the context, or throws the problem to respond with. */
export type Middleware = (context: RequestContext) => void | Promise<void>

export function createRequestContext(request: Request, connection: Connection, arrivedAt: number): RequestContext {
  // Do not accept a client's own id: it would be logged.
  const requestId = crypto.randomUUID()
  return {
    request,
    connection,
    requestId,
    arrivedAt,
    route: 'none',
    parameters: {},
    headers: commonHeaders(requestId),
    bot: null,
    session: null,
    query: undefined,
    body: undefined,
    idempotencyKey: undefined,
  }
}

/** Headers of every response, unless it sets its own. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Responses are not pages, except `/docs`: if a browser shows one as a page, it must not load or embed anything.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
})
