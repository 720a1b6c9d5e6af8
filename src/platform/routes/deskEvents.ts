import type { DeskPresence } from '../domain/deskPresence.ts'
import { isTimestamp } from '../domain/time.ts'
import type { DeskStreams } from '../realtime/deskStreams.ts'
import { disconnect, nodeFull, sendStream, streamHeaders } from './events.ts'
import type { Handlers } from './handler.ts'

/** The desk's live events, and what members show each other. */
export function deskEventHandlers(streams: DeskStreams, presence: DeskPresence) {
  return {
    async streamDeskEvents(c) {
      // A HEAD request must not open a stream that nobody reads.
      if (c.req.method === 'HEAD') return c.body(null, 200, streamHeaders)
      const since = positionOf(c.req.header('last-event-id'))
      const { page } = c.get('query')
      const stream = await streams.open(c.var.member, { page, since, onOverflow: disconnect(c) })
      if (stream === 'node_full') throw nodeFull()
      return sendStream(c, stream)
    },
    setViewing: c => presence.setViewing(c.var.member, c.get('body')),
    showMemberTyping: c => presence.showTyping(c.var.member, c.req.param('conversationId') ?? ''),
  } satisfies Partial<Handlers>
}

/** The time in an event's id; an invalid one is ignored. */
function positionOf(id = ''): number | undefined {
  const ms = isTimestamp(id) ? Date.parse(id) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
