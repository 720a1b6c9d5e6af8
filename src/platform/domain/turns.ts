import type { Message, StreamEvent } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { Responder } from '../responders/responder.ts'
import type { LeasedTurn, NewMessage, Store } from '../store/store.ts'
import { createId } from './ids.ts'
import { conversationSubject } from './subjects.ts'
import { timestamp } from './time.ts'

/** Answers visitors: a turn stands in the store from the moment its message does, and is answered under a lease. */
export interface Turns {
  /** Looks for turns that are due and starts to answer them. */
  wake(): Promise<void>
  /** Breaks off what is being answered and gives the leases back, so that another process takes over at once. */
  close(): Promise<void>
}

export interface TurnsOptions {
  store: Store
  bus: Bus
  clock: Clock
  responder: Responder
  onError: (error: unknown) => void
}

/** What a visitor reads where the responder has failed, and presses or types to have the question put again. */
export const apology = 'Sorry, I could not answer that just now. Your message is safe: please try again.'
export const retryWord = 'Try again'

// Short, since after a crash the visitor waits for it to run out.
const leaseMs = 8_000
const renewMs = 2_500
/** Ours: an answer that takes longer is given up, with an apology. */
const answerWithinMs = 60_000
/** A question that takes the process down with it must not do so for ever. */
const maxAttempts = 3
const maxAtOnce = 64

export function createTurns({ store, bus, clock, responder, onError }: TurnsOptions): Turns {
  const owner = createId(clock.now())
  const running = new Map<string, { stop: () => void; done: Promise<void> }>()
  let closed = false

  const leaseUntil = (): string => timestamp(clock.now() + leaseMs)
  const publish = (turn: LeasedTurn, event: Exclude<StreamEvent, { event: 'message' | 'reset' | 'session.ended' }>) =>
    bus.publish(conversationSubject(turn.conversationId), { type: 'ephemeral', event })

  /** Streams one answer, and resolves to it. */
  const answer = async (turn: LeasedTurn, id: string, signal: AbortSignal): Promise<Omit<NewMessage, 'createdAt'>> => {
    const reply = { id, author: 'bot' as const, text: '', format: 'plain' as Message['format'] }
    let quickReplies: string[] = []
    const sendSoFar = (): void => {
      if (reply.text) publish(turn, { event: 'message.delta', data: { id, offset: 0, text: reply.text } })
      else publish(turn, { event: 'typing', data: { author: 'bot' } })
    }
    const stopListening = bus.subscribe(conversationSubject(turn.conversationId), event => {
      if (event.type === 'joined') sendSoFar()
    })
    try {
      sendSoFar()
      const { botId, conversationId, contact } = turn
      const question = { botId, conversationId, contact, messages: withoutRetries(turn.messages) }
      for await (const part of untilAborted(responder.answer(question, signal), signal)) {
        if ('text' in part && part.text) {
          publish(turn, { event: 'message.delta', data: { id, offset: reply.text.length, text: part.text } })
          reply.text += part.text
        }
        if ('format' in part) reply.format = part.format
        if ('quickReplies' in part) quickReplies = part.quickReplies
      }
    } finally {
      stopListening()
    }
    if (reply.text.trim() === '') throw new Error('The responder gave no answer')
    return quickReplies.length > 0 ? { ...reply, quickReplies } : reply
  }

  const run = async (turn: LeasedTurn, abort: AbortController): Promise<void> => {
    const { conversationId } = turn
    let lost = false
    const stop = (): void => {
      lost = true
      abort.abort()
    }
    const renew = async (): Promise<void> => {
      undoRenewal = clock.after(renewMs, renew)
      // A store that does not answer says nothing about the lease: the end of the lease will.
      const held = await store.renewTurn(conversationId, owner, leaseUntil()).catch(onError)
      if (held === false) stop()
    }
    let undoRenewal = clock.after(renewMs, renew)
    const undoDeadline = clock.after(answerWithinMs, () => abort.abort())
    const id = createId(clock.now())
    try {
      let reply: Omit<NewMessage, 'createdAt'>
      try {
        if (turn.attempt > maxAttempts) throw new Error(`A turn was given up after ${maxAttempts} attempts`)
        reply = await answer(turn, id, abort.signal)
      } catch (error) {
        publish(turn, { event: 'message.aborted', data: { id } })
        if (lost || closed) return
        onError(error)
        reply = {
          id: createId(clock.now()),
          author: 'system',
          text: apology,
          format: 'plain',
          quickReplies: [retryWord],
        }
      }
      const stored = await store.completeTurn(conversationId, owner, { ...reply, createdAt: timestamp(clock.now()) })
      if (stored) bus.publish(conversationSubject(conversationId), { type: 'stored' })
      else publish(turn, { event: 'message.aborted', data: { id } })
    } finally {
      undoRenewal()
      undoDeadline()
    }
  }

  const start = (turn: LeasedTurn): void => {
    // A lease that ran out under us and came back to us: the first run finds out and stops, the sweep takes it up again.
    if (running.has(turn.conversationId)) return
    const abort = new AbortController()
    const done = run(turn, abort)
      .catch(onError)
      .finally(() => {
        running.delete(turn.conversationId)
        // Messages that came meanwhile form the next turn.
        if (!closed) wake().catch(onError)
      })
    running.set(turn.conversationId, { stop: () => abort.abort(), done })
  }

  const wake = async (): Promise<void> => {
    if (closed || running.size >= maxAtOnce) return
    const turns = await store.leaseTurns(owner, timestamp(clock.now()), leaseUntil(), maxAtOnce - running.size)
    for (const turn of turns) start(turn)
  }

  return {
    wake,
    async close() {
      closed = true
      const left = [...running.entries()]
      for (const [, { stop }] of left) stop()
      await Promise.all(
        left.map(async ([conversationId, { done }]) => {
          await done
          await store.renewTurn(conversationId, owner, timestamp(clock.now())).catch(onError)
        }),
      )
    },
  }
}

/** A pressed retry means the question before it: the apology and the press itself are no part of what is asked. */
function withoutRetries(messages: Message[]): Message[] {
  const last = messages.at(-1)
  const before = messages.at(-2)
  const retried = last?.author === 'visitor' && last.text === retryWord && before?.author === 'system'
  return retried && messages.length > 2 ? withoutRetries(messages.slice(0, -2)) : messages
}

/** Ends with the signal even where the responder does not listen to it. */
async function* untilAborted<Part>(parts: AsyncIterable<Part>, signal: AbortSignal): AsyncGenerator<Part> {
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => {})
  const refuse = (): void => aborted.reject(new Error('The answer took too long or was broken off'))
  if (signal.aborted) refuse()
  signal.addEventListener('abort', refuse, { once: true })
  const iterator = parts[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted.promise])
      if (next.done) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', refuse)
    // Not awaited: a responder that hangs would hang its own end too.
    iterator.return?.()?.catch(() => {})
  }
}
