import type { Sink } from '../realtime/eventStream.ts'

/**
 * Node's objects for the connection of a request; empty if the platform is called in memory. In its own file so that
 * public types do not depend on Hono.
 */
export interface Connection {
  incoming?: IncomingRequest
  outgoing?: OutgoingResponse
}

/** The parts of Node's `IncomingMessage` that the platform uses. */
export interface IncomingRequest {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly socket: { readonly remoteAddress?: string | undefined; readonly destroyed?: boolean }
  /** No more data will arrive. */
  readonly destroyed?: boolean
  /** The whole body has been received; parts of it may still be unread. */
  readonly complete?: boolean
  /** The whole body has been read. */
  readonly readableEnded?: boolean
  on(event: 'data' | 'end' | 'error' | 'close', listener: (chunk: Uint8Array) => void): unknown
  pause(): unknown
  /** Iterates over the body without closing the connection at the end; see Node's `Readable`. */
  iterator?(options: { destroyOnReturn: boolean }): AsyncIterable<Uint8Array>
}

/** The parts of Node's `ServerResponse` that the platform uses. */
export interface OutgoingResponse extends Sink {
  writeHead(status: number, headers: Record<string, string>): unknown
  destroy(): unknown
}
