import type { Clock } from '../clock.ts'
import type { AppContext } from '../http/appEnv.ts'
import type { StreamingBody } from '../realtime/eventStream.ts'
import { sendStream, streamHeaders } from './events.ts'

/** Long enough apart to tell a proxy that buffers, and short for whoever waits. */
export const pauseMs = 300
const events = 4
const encoder = new TextEncoder()

/** A short stream without a session. It shows whether a proxy between platform and client passes events on at once. */
export const createStreamCheck =
  (clock: Pick<Clock, 'setTimeout'>) =>
  (c: AppContext): Response =>
    c.req.method === 'HEAD' ? c.body(null, 200, streamHeaders) : sendStream(c, createBody(clock))

const createBody = (clock: Pick<Clock, 'setTimeout'>): StreamingBody => ({
  pipeTo(sink) {
    let cancel: () => unknown = () => {}
    const send = (number: number): void => {
      sink.write(encoder.encode(`event: check\ndata: {"number":${number}}\n\n`))
      if (number === events) sink.end()
      else cancel = clock.setTimeout(() => send(number + 1), pauseMs)
    }
    sink.on('close', () => cancel())
    send(1)
  },
})
