import type { StreamingBody } from '../realtime/streamingBody.ts'
import type { Bot, SessionRow } from '../store/store.ts'

/** The connection that a request came by, as Node has it; empty where the platform is called in memory. */
export interface Connection {
  incoming?: IncomingRequest
  outgoing?: { destroy(): unknown }
}

/** A request as it arrives at a port. */
export interface IncomingRequest {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly socket: { readonly remoteAddress?: string | undefined }
  /** Nothing more will come of it. */
  readonly destroyed?: boolean
  /** All of it has come. */
  readonly readableEnded?: boolean
  on(event: 'data' | 'end' | 'error' | 'close', listener: (chunk: Uint8Array) => void): unknown
  pause(): unknown
}

/** What goes back, before it is a `Response` or stands on the wire. Header names are in lower case. */
export interface HttpResponse {
  status: number
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer> | StreamingBody | null
}

/** A request on its way, and what has been found out about it. */
export interface RequestContext {
  readonly request: Request
  readonly connection: Connection
  readonly requestId: string
  /** The path as a template: the only form in which it is logged and counted, since one path holds a token. */
  route: string
  /** Path parameters, decoded. */
  parameters: Record<string, string>
  /** What the answer will bear, be it a success or an error. */
  readonly headers: Record<string, string>
  bot: Bot | null
  session: SessionRow | null
  query: unknown
  body: unknown
  idempotencyKey: string | undefined
}

/** Something that a request passes: finds something out, or throws the problem that refuses it. */
export type Middleware = (context: RequestContext) => void | Promise<void>

export function createRequestContext(request: Request, connection: Connection): RequestContext {
  // A client's own id is not taken over: it would be logged.
  const requestId = crypto.randomUUID()
  return {
    request,
    connection,
    requestId,
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

/** What every answer bears, unless it says otherwise. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Nothing here is a page, unless it says so: what a browser is made to show as one may load and embed nothing.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
})
