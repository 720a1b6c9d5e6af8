import type { Streams } from '../realtime/streams.ts'
import type { Handlers } from './handlerContext.ts'

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // Otherwise nginx buffers the stream.
  'x-accel-buffering': 'no',
}

/** The widget's live events (decisions 5). */
export const eventRoutes = (streams: Streams): Handlers<'streamEvents' | 'streamEventsWithNonce'> => ({
  async streamEvents({ session, request, disconnect }) {
    // HEAD: nobody would read the stream.
    if (request.method === 'HEAD') return { status: 200, headers }
    const body = await streams.open(session, { after: positionOf(request), onOverflow: disconnect })
    return { status: 200, headers, body }
  },
  async streamEventsWithNonce({ session, body: { after, nonce }, disconnect }) {
    const body = await streams.open(session, { after, nonce, onOverflow: disconnect })
    return { status: 200, headers, body }
  },
})

/** Ours: `Last-Event-ID` takes precedence over `?after=`; an invalid position is ignored. */
function positionOf(request: Request): number | undefined {
  const text = request.headers.get('last-event-id') || new URL(request.url).searchParams.get('after') || ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
