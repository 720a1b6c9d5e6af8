import { PassThrough } from 'node:stream'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import type { Clock } from '../clock.ts'
import { problem } from '../domain/problem.ts'
import type { StreamingBody } from '../realtime/eventStream.ts'
import type { OpenOptions, Streams } from '../realtime/streams.ts'
import type { EndpointContext, Handlers } from './handler.ts'

/** The headers of every event stream. */
export const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // Without this header, nginx buffers the stream.
  'x-accel-buffering': 'no',
}

type StreamContext = EndpointContext<'streamEvents'> | EndpointContext<'streamEventsWithNonce'>

/** The widget's live events. */
export function eventHandlers(streams: Streams) {
  const open = async (
    c: StreamContext,
    position: Pick<OpenOptions, 'after' | 'revision' | 'nonce'>,
  ): Promise<Response> => {
    const { session, address } = c.var
    const stream = await streams.open(session, { ...position, address, onOverflow: disconnect(c) })
    if (stream === 'address_full') throw addressFull()
    if (stream === 'node_full') throw nodeFull()
    return sendStream(c, stream)
  }

  return {
    async streamEvents(c) {
      // A HEAD request must not open a stream that nobody reads.
      if (c.req.method === 'HEAD') return c.body(null, 200, streamHeaders)
      return open(c, { after: positionOf(c), revision: numberOf(c.req.query('revision')) })
    },
    async streamEventsWithNonce(c) {
      return open(c, c.get('body'))
    },
  } satisfies Partial<Handlers>
}

/** With jitter, so that clients that are refused together do not return together. Widgets poll in the meantime. */
const retryAfter = (seconds: number): { 'retry-after': string } => ({
  'retry-after': String(seconds + Math.floor(Math.random() * seconds)),
})
const addressFull = () =>
  problem('rate_limited', { detail: 'Too many open streams from this address.', headers: retryAfter(30) })
export const nodeFull = () =>
  problem('unavailable', { detail: 'Too many open streams on this server.', headers: retryAfter(10) })

/** Writes a stream directly to Node's response if there is one, because a web stream for each visitor would cost memory. */
export function sendStream(c: Context, body: StreamingBody): Response {
  const { outgoing } = c.env as EndpointContext<'streamEvents'>['env']
  if (!outgoing) return c.body(toReadable(body), 200, streamHeaders)
  outgoing.writeHead(200, Object.fromEntries(c.body(null, 200, streamHeaders).headers))
  body.pipeTo(outgoing)
  return RESPONSE_ALREADY_SENT
}

function toReadable(body: StreamingBody): ReadableStream<Uint8Array> {
  // Buffers only what is written: the length of that says how slow the reader is.
  const sink = new PassThrough({ readableHighWaterMark: 0 })
  body.pipeTo(sink)
  const chunks = sink.iterator()
  // `Readable.toWeb` would throw an uncaught error if data is on its way when the reader cancels.
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => void sink.destroy(),
    },
    { highWaterMark: 0 },
  )
}

/** The events of a stream check are long enough apart to tell a proxy that buffers, and come soon for whoever waits. */
export const checkPauseMs = 300
const checkEvents = 4
const encoder = new TextEncoder()

/** A short stream without a session. It shows whether a proxy between platform and client passes events on at once. */
export function checkStream(c: Context, clock: Pick<Clock, 'setTimeout'>): Response {
  if (c.req.method === 'HEAD') return c.body(null, 200, streamHeaders)
  return sendStream(c, {
    pipeTo(sink) {
      let cancel = (): void => {}
      const send = (number: number): void => {
        sink.write(encoder.encode(`event: check\ndata: {"number":${number}}\n\n`))
        if (number === checkEvents) sink.end()
        else cancel = clock.setTimeout(() => send(number + 1), checkPauseMs)
      }
      sink.on('close', () => cancel())
      send(1)
    },
  })
}

/** Closes the connection. */
export const disconnect = (c: Context) => (): unknown =>
  (c.env as EndpointContext<'streamEvents'>['env']).outgoing?.destroy()

/** `Last-Event-ID` takes precedence over `?after=`; an invalid position is ignored. */
function positionOf(c: Context): number | undefined {
  return numberOf(c.req.header('last-event-id') || c.req.query('after'))
}

const numberOf = (text = ''): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)
