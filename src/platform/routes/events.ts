import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { maxBuffered } from '../realtime/eventStream.ts'
import { type StreamingBody, toReadable } from '../realtime/streamingBody.ts'
import type { Streams } from '../realtime/streams.ts'
import type { EndpointContext, Handlers } from './handler.ts'

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // Otherwise nginx buffers the stream.
  'x-accel-buffering': 'no',
}

/** The widget's live events (decisions 5). */
export const eventRoutes = (streams: Streams): Handlers<'streamEvents' | 'streamEventsWithNonce'> => ({
  async streamEvents(c) {
    // HEAD: nobody would read the stream.
    if (c.req.method === 'HEAD') return c.body(null, 200, headers)
    return send(c, await streams.open(c.get('session'), { after: positionOf(c), onOverflow: disconnect(c) }))
  },
  async streamEventsWithNonce(c) {
    const { after, nonce } = c.get('body')
    return send(c, await streams.open(c.get('session'), { after, nonce, onOverflow: disconnect(c) }))
  },
})

/** Writes a stream directly to Node's response, if there is one: a web stream for each visitor would cost memory. */
function send(c: Context, body: StreamingBody): Response {
  const { outgoing } = c.env as EndpointContext<'streamEvents'>['env']
  if (!outgoing) return c.body(toReadable(body, maxBuffered), 200, headers)
  outgoing.writeHead(200, Object.fromEntries(c.body(null, 200, headers).headers))
  body.pipeTo(outgoing)
  return RESPONSE_ALREADY_SENT
}

/** Breaks the connection. */
const disconnect = (c: Context) => (): unknown => (c.env as EndpointContext<'streamEvents'>['env']).outgoing?.destroy()

/** Ours: `Last-Event-ID` takes precedence over `?after=`; an invalid position is ignored. */
function positionOf(c: Context): number | undefined {
  const text = c.req.header('last-event-id') || c.req.query('after') || ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
