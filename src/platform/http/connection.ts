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
  readonly socket: {
    readonly remoteAddress?: string | undefined
    readonly localPort?: number | undefined
    readonly destroyed?: boolean
  }
  /** Iterates over the body without closing the connection at the end; see Node's `Readable`. */
  iterator?(options: { destroyOnReturn: boolean }): AsyncIterable<Uint8Array>
}

/** The parts of Node's `ServerResponse` that the platform uses. */
export interface OutgoingResponse extends Sink {
  writeHead(status: number, headers: Record<string, string>): unknown
  destroy(): unknown
}
