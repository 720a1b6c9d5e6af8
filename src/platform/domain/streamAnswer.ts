import type { Message, MessageWithContext, Source, StreamEvent } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { AnswerPart, Progress, Question, Responder } from '../responders/responder.ts'
import type { Bot, LeasedTurn, NewMessage } from '../store/store.ts'
import { botTextsOf, isRetry } from '../texts/botTexts.ts'
import { acceptSources } from './acceptSources.ts'
import { conversationSubject } from './subjects.ts'
import { every } from './time.ts'

/** The longest reply, in UTF-16 units. A longer one is an error of the responder. */
const maxAnswerLength = 64 * 1024

/** The interval of deltas and progress. A model sends more pieces than people see, and each is an event for every stream. */
export const deltaEveryMs = 50

/** The typing event is repeated, because widgets hide it after a few seconds. */
const typingEveryMs = 5_000

/** A reply that is not stored yet, so it has no time. */
export type Reply = Omit<NewMessage, 'createdAt'>

export interface StreamAnswerDeps {
  bus: Bus
  clock: Clock
  responder: Responder
  /** Called with the reasons if sources that the responder named are dropped. */
  onDroppedSources: (reasons: string[]) => void
}

/**
 * Why the signal of a reply aborts. Once the visitor has stopped it, it ends as it is; every other reason makes it an error:
 * an agent has taken over, the visitor has asked for a person, the lease is lost, the node closes, or it takes too long.
 */
export type StopReason = 'stopped' | 'taken_over' | 'handed_over' | 'lost' | 'closed' | 'too_slow'

/** What a responder has answered; `reply` is `null` if it does not reply. */
export interface Answer {
  reply: Reply | null
  /** Whether the conversation is handed over to the team after the reply. */
  handOver: boolean
}

/**
 * Asks the responder, streams the reply to the conversation and resolves to the answer. If the visitor stops it, it resolves
 * to what has been written.
 */
export async function streamAnswer(
  { bus, clock, responder, onDroppedSources }: StreamAnswerDeps,
  { turn, bot }: { turn: LeasedTurn; bot: Bot },
  signal: AbortSignal,
): Promise<Answer> {
  const { replyId: id } = turn
  const subject = conversationSubject(turn.conversationId)
  const publish = (streamEvent: Extract<StreamEvent, { event: 'message.delta' | 'message.aborted' | 'typing' }>) =>
    bus.publish(subject, { type: 'forward', streamEvent })
  const answer = {
    text: '',
    format: 'plain' as Message['format'],
    quickReplies: [] as string[],
    sources: [] as Source[],
    silent: false,
    handOver: false,
    isCut: false,
  }
  const isStopped = (): boolean => (signal.reason as StopReason | undefined) === 'stopped'
  /** The length of the text that has been published. */
  let published = 0
  let progress: Progress | undefined
  let publishedProgress: Progress | undefined
  const publishFrom = (offset: number): void => {
    const { format } = answer
    const text = answer.text.slice(offset)
    published = answer.text.length
    if (text === '') return
    publish({ event: 'message.delta', data: { id, offset, text, ...(format === 'markdown' && { format }) } })
  }
  /** Publishes all that is written, for streams that have just opened; without text, that it is being written. */
  const sendSoFar = (): void => {
    publishedProgress = progress
    if (answer.text) publishFrom(0)
    else publish({ event: 'typing', data: { author: 'bot', id, ...progress } })
  }
  let cancelNextPublish: (() => void) | undefined
  /** Publishes what is new: at once if the last time is long enough ago, else at the end of the interval. */
  const publishChanges = (): void => {
    if (cancelNextPublish) return
    if (published < answer.text.length) publishFrom(published)
    else if (!answer.text && publishedProgress !== progress) sendSoFar()
    else return
    cancelNextPublish = clock.setTimeout(() => {
      cancelNextPublish = undefined
      publishChanges()
    }, deltaEveryMs)
  }
  const addPart = (part: AnswerPart): void => {
    if ('text' in part) {
      const text = part.text.replaceAll('\0', '')
      if (text === '') return
      if (answer.text.length + text.length > maxAnswerLength) throw new Error('The answer is too long')
      answer.text += text
      publishChanges()
    } else if ('progress' in part) {
      progress = part.progress
      publishChanges()
    } else if ('sources' in part) {
      const { sources, dropped } = acceptSources(part.sources)
      answer.sources = sources
      if (dropped.length > 0) onDroppedSources(dropped)
    } else if ('restart' in part) {
      answer.text = ''
      published = 0
      publish({ event: 'message.aborted', data: { id } })
      sendSoFar()
    } else {
      Object.assign(answer, part)
    }
  }
  const stopListening = bus.subscribe(subject, event => {
    if (event.type === 'joined') sendSoFar()
  })
  const stopTyping = every(clock, typingEveryMs, () => {
    if (!answer.text) sendSoFar()
  })
  try {
    sendSoFar()
    for await (const part of untilAborted(responder.answer(questionOf(turn, bot), signal), signal)) addPart(part)
    if (answer.isCut && answer.text.trim() !== '') answer.text += `\n\n${botTextsOf(bot).cutOff}`
    publishFrom(published)
  } catch (error) {
    if (!isStopped()) throw error
  } finally {
    cancelNextPublish?.()
    stopListening()
    stopTyping()
  }
  const { text, format, quickReplies, sources, silent, handOver } = answer
  if (text.trim() === '') {
    if (silent || handOver || isStopped()) return { reply: null, handOver }
    throw new Error('The responder gave no answer')
  }
  // A surrogate pair may be split over two pieces, so check only the whole text.
  const reply = { id, author: 'bot' as const, text: text.toWellFormed(), format }
  const more = { ...(quickReplies.length > 0 && { quickReplies }), ...(sources.length > 0 && { sources }) }
  return { reply: { ...reply, ...more }, handOver }
}

function questionOf(
  { conversationId, contact, messages }: LeasedTurn,
  { id, name, locale, texts, responder, handover }: Bot,
): Question {
  return {
    // Derived from the last message, so that the id is the same if the turn is asked again after a crash.
    turnId: `turn_${conversationId}_${messages.at(-1)?.seq ?? 0}`,
    bot: { id, name, locale, texts, responder, handover },
    conversationId,
    contact,
    messages: withoutRetries(messages, texts),
  }
}

/** Removes failed attempts from the end: the apology and the retry are not part of the question. */
function withoutRetries(messages: MessageWithContext[], texts: Bot['texts']): MessageWithContext[] {
  const last = messages.at(-1)
  const before = messages.at(-2)
  const retried =
    last?.author === 'visitor' && isRetry(last.text, texts) && before?.author === 'system' && before.event === undefined
  return retried && messages.length > 2 ? withoutRetries(messages.slice(0, -2), texts) : messages
}

/** Ends with the signal, even if the responder ignores it. */
async function* untilAborted<Part>(parts: AsyncIterable<Part>, signal: AbortSignal): AsyncGenerator<Part> {
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => {})
  const refuse = (): void => aborted.reject(new Error('The reply took too long or was aborted'))
  if (signal.aborted) refuse()
  signal.addEventListener('abort', refuse, { once: true })
  const iterator = parts[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted.promise])
      // Some responders end normally when they are aborted, or go on.
      if (signal.aborted) await aborted.promise
      if (next.done) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', refuse)
    // Not awaited: a responder that hangs would also hang here.
    iterator.return?.()?.catch(() => {})
  }
}
