import type { Message, StreamEvent } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { AnswerPart, Question, Responder } from '../responders/responder.ts'
import type { Bot, LeasedTurn, NewMessage } from '../store/store.ts'
import { conversationSubject } from './subjects.ts'
import { every } from './time.ts'

/** What a visitor presses or types to have the question put again. */
export const retryWord = 'Try again'

/** Ours: an answer longer than this many UTF-16 units is a responder that has lost its way. */
export const maxAnswerLength = 64 * 1024

/** Ours: more would cost the operator, and a thousand turns at once the process, for what is long past. */
const maxShownLength = 100_000

/** Widgets show nobody typing for longer than a few seconds. */
const typingEveryMs = 5_000

/** A reply before the time of its end is known. */
export type Reply = Omit<NewMessage, 'createdAt'>

/** Streams the answer to a turn to whoever watches, and resolves to it; to `null` where the responder keeps silent. */
export async function streamAnswer(
  { bus, clock, responder }: { bus: Bus; clock: Clock; responder: Responder },
  { turn, bot, id }: { turn: LeasedTurn; bot: Bot; id: string },
  signal: AbortSignal,
): Promise<Reply | null> {
  const subject = conversationSubject(turn.conversationId)
  const publish = (event: Extract<StreamEvent, { event: 'message.delta' | 'typing' }>) =>
    bus.publish(subject, { type: 'ephemeral', event })
  const answer = { text: '', format: 'plain' as Message['format'], quickReplies: [] as string[], silent: false }
  const publishText = (offset: number, text: string): void => {
    const { format } = answer
    publish({ event: 'message.delta', data: { id, offset, text, ...(format === 'markdown' && { format }) } })
  }
  const sendSoFar = (): void => {
    if (answer.text) publishText(0, answer.text)
    else publish({ event: 'typing', data: { author: 'bot' } })
  }
  const addPart = (part: AnswerPart): void => {
    // What was under way when it was broken off must not show up after that.
    if (signal.aborted) return
    if ('text' in part) {
      const text = part.text.replaceAll('\0', '')
      if (text === '') return
      if (answer.text.length + text.length > maxAnswerLength) throw new Error('The answer is too long')
      publishText(answer.text.length, text)
      answer.text += text
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
    // A responder may end quietly when it is broken off.
    signal.throwIfAborted()
  } finally {
    stopListening()
    stopTyping()
  }
  const { text, format, quickReplies, silent } = answer
  if (text.trim() === '') {
    if (silent) return null
    throw new Error('The responder gave no answer')
  }
  // Half of a character may come with one piece and half with the next, so only the whole can be judged.
  const reply = { id, author: 'bot' as const, text: text.toWellFormed(), format }
  return quickReplies.length > 0 ? { ...reply, quickReplies } : reply
}

function questionOf({ conversationId, contact, messages }: LeasedTurn, { id, name, responder }: Bot): Question {
  return {
    // By the last message, not by the run: after a crash it is the same turn that is asked about.
    turnId: `turn_${conversationId}_${messages.at(-1)?.seq ?? 0}`,
    bot: { id, name, responder },
    conversationId,
    contact,
    messages: withoutRetries(messages),
  }
}

/** The last messages, as long as they are together. At least one: there is something to answer. */
export function recentMessages(messages: Message[]): Message[] {
  let left = maxShownLength
  const first = messages.findLastIndex(({ text }, index) => {
    left -= text.length
    return left < 0 && index < messages.length - 1
  })
  return messages.slice(first + 1)
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
