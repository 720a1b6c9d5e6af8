import type { StreamEvent } from '../../contract/index.ts'
import type { Clock } from '../environment/clock.ts'
import type { ApiClient } from './apiClient.ts'
import { decodeEvent } from './guards.ts'
import { randomUuid } from './randomUuid.ts'
import type { Attempt, Credentials } from './requester.ts'

/** An event that an open stream delivers. */
export type ConversationEvent = Exclude<StreamEvent, { event: 'opened' }>

export interface StreamListener {
  /** The `seq` of the last known message. The stream continues after it. */
  after(): number
  /** The revision of the conversation whose changes are known. The stream continues after it. */
  revision(): number
  onEvent(event: ConversationEvent): void
  /** Called when the stream broke or could not be opened. */
  onInterrupted(): void
  /**
   * Called with `live` whenever data arrives, and with `reconnecting` once the first attempt to reopen the stream failed.
   */
  onConnection(state: 'live' | 'reconnecting'): void
}

/** A stream counts as stable after its first event, or after this time. */
const stableMs = 3000
/** During a rolling restart a stream may reconnect to a node that is the next to shut down. */
const toleratedBreaks = 2

/**
 * Keeps an event stream open until `credentials.abortSignal` aborts or the session ends. If streams keep breaking right
 * after they open, the backoff grows, and `live` is not reported until a stream is stable.
 *
 * `EventSource` can't be used: it sends neither `Authorization` nor `POST`.
 */
export async function streamEvents(
  { api, clock }: { api: Pick<ApiClient, 'request'>; clock: Clock },
  credentials: Credentials,
  listener: StreamListener,
): Promise<void> {
  let nonce = ''
  /** How many streams in a row broke before they were stable. */
  let earlyBreaks = 0
  let hasOpened = false
  const isTrusted = () => earlyBreaks <= toleratedBreaks

  async function read(response: Response, attempt: Attempt): Promise<undefined> {
    let isOpen = false
    let isStable = false
    let cancelTimer = () => {}

    function open() {
      isOpen = hasOpened = true
      onData()
      cancelTimer = clock.setTimeout(confirmStable, stableMs)
    }

    function confirmStable() {
      cancelTimer()
      isStable = true
      earlyBreaks = 0
      attempt.resetTries()
      listener.onConnection('live')
    }

    function onEvent(event: StreamEvent) {
      if (attempt.abortSignal.aborted) return
      if (event.event === 'opened') {
        if (event.data.nonce === nonce && !isOpen) open()
      } else {
        // The sender has not read our request, so this may be another person's stream.
        if (!isOpen) throw new Error('The stream did not begin with our nonce.')
        if (!isStable) confirmStable()
        listener.onEvent(event)
      }
    }

    function onData() {
      if (!isOpen || attempt.abortSignal.aborted) return
      attempt.keepAlive()
      if (isTrusted()) listener.onConnection('live')
    }

    try {
      await readEvents(response, onData, ({ event, data }) => {
        const decoded = decodeEvent(event, data)
        if (decoded) onEvent(decoded)
      })
    } finally {
      cancelTimer()
      if (isOpen && !isStable) earlyBreaks++
    }
  }

  await api.request(
    credentials,
    {
      method: 'POST',
      path: '/events/stream',
      body() {
        nonce = randomUuid()
        return { nonce, after: listener.after(), revision: listener.revision() }
      },
      read,
    },
    (_, tries) => {
      listener.onInterrupted()
      // A node ends its streams when it shuts down. Don't report that if the first attempt to reopen the stream succeeds.
      const isHandover = hasOpened && isTrusted()
      hasOpened = false
      if (tries && !isHandover) listener.onConnection('reconnecting')
      // Retry even a 403: it may come from a proxy that blocks only streams. Messages are polled meanwhile.
      return false
    },
  )
}

/** Reads events until the stream ends. `onData` is called for each chunk, including comments that keep the stream alive. */
async function readEvents(response: Response, onData: () => void, onEvent: (event: SseEvent) => void) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  const parse = createSseParser(onEvent)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onData()
    parse(decoder.decode(value, { stream: true }))
  }
}

/** One event of a stream. The `id` field is ignored, because each message contains its own `seq`. */
export interface SseEvent {
  event: string
  data: string
}

/** Creates a parser for `text/event-stream`. It takes decoded text in pieces of any size. */
export function createSseParser(onEvent: (event: SseEvent) => void): (piece: string) => void {
  let rest = ''
  let event = ''
  let data: string[] = []
  return piece => {
    // A carriage return at the end may be the first half of a line break, so keep it for the next piece.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (field === 'event') event = value
      else if (field === 'data') data.push(value)
      else if (!line) {
        if (data[0] !== undefined) onEvent({ event: event || 'message', data: data.join('\n') })
        event = ''
        data = []
      }
    }
  }
}
