import type { StreamEvent } from '../../contract/index.ts'
import type { Clock } from '../app/environment.ts'
import type { decodeEvent } from './guards.ts'
import type { Attempt, Credentials, Requester } from './requester.ts'
import { createSseParser, type SseEvent } from './sseParser.ts'

/** What a stream brings once it is open. */
export type ConversationEvent = Exclude<StreamEvent, { event: 'opened' }>

export interface StreamListener {
  /** The seq after which the stream resumes. */
  after(): number
  onEvent(event: ConversationEvent): void
  /** The stream has broken, or could not be opened. */
  onInterrupted(): void
  /** `live` is reported with each sign of life; `reconnecting` only when the stream isn't back at the first try. */
  onConnection(state: 'live' | 'reconnecting'): void
}

/** Handed in, because this is a chunk of its own, and the core has them already. */
export interface EventStreamDeps {
  request: Requester
  clock: Clock
  createNonce(): string
  decodeEvent: typeof decodeEvent
}

/** A stream is stable when it has brought an event or has been open for so long. */
const stableMs = 3000
/** In a rolling restart a stream may move to a node that is the next to shut down. */
const toleratedBreaks = 2

/**
 * Keeps an event stream open until the credentials are aborted or the session has ended. A stream that opens and breaks at
 * once, again and again, is retried ever more slowly and is not reported as live until one has proved to work.
 *
 * Not by `EventSource`, which can neither send `Authorization` nor `POST`.
 */
export async function streamEvents(
  { request, clock, createNonce, decodeEvent }: EventStreamDeps,
  credentials: Credentials,
  listener: StreamListener,
): Promise<void> {
  let nonce = ''
  /** Streams in a row that opened and broke before they were stable. */
  let earlyBreaks = 0
  let hasOpened = false
  const isTrusted = () => earlyBreaks <= toleratedBreaks

  async function read(response: Response, attempt: Attempt): Promise<undefined> {
    let isOpen = false
    let isStable = false
    let cancelTimer = () => {}

    function open() {
      isOpen = hasOpened = true
      attempt.keepAlive()
      if (isTrusted()) listener.onConnection('live')
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
        // Whoever sent this has not read our request: it may be another person's stream.
        if (!isOpen) throw new Error('The stream did not begin with our nonce.')
        if (!isStable) confirmStable()
        listener.onEvent(event)
      }
    }

    const onSignOfLife = () => {
      if (!isOpen || attempt.abortSignal.aborted) return
      attempt.keepAlive()
      if (isTrusted()) listener.onConnection('live')
    }

    try {
      await readEvents(response, onSignOfLife, ({ event, data }) => {
        const decoded = decodeEvent(event, data)
        if (decoded) onEvent(decoded)
      })
    } finally {
      cancelTimer()
      if (isOpen && !isStable) earlyBreaks++
    }
  }

  await request(
    credentials,
    {
      method: 'POST',
      path: '/events/stream',
      body() {
        nonce = createNonce()
        return { nonce, after: listener.after() }
      },
      read,
    },
    (_, tries) => {
      listener.onInterrupted()
      // A node that shuts down ends its streams. One that is back at the first try is not worth reporting.
      const isHandover = hasOpened && isTrusted()
      hasOpened = false
      if (tries && !isHandover) listener.onConnection('reconnecting')
      // Not even a 403 is final: it may be a proxy's, and messages can still be fetched.
      return false
    },
  )
}

/** Reads events until the stream ends. */
async function readEvents(response: Response, onSignOfLife: () => void, onEvent: (event: SseEvent) => void) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  const parse = createSseParser(onEvent)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onSignOfLife()
    parse(decoder.decode(value, { stream: true }))
  }
}
