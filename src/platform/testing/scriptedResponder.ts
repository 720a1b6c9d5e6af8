import type { Message, ResponderSettings } from '../../contract/index.ts'
import type { AnswerPart, Question, Responder } from '../responders/responder.ts'

/** A responder whose chunks a test provides one by one. */
export function createScriptedResponder() {
  const questions: Question[] = []
  const signals: AbortSignal[] = []
  const requests: PromiseWithResolvers<Question>[] = [Promise.withResolvers()]
  const parts = new TransformStream<AnswerPart | Error | 'end', AnswerPart | Error | 'end'>(
    {},
    { highWaterMark: 100 },
    { highWaterMark: 100 },
  )
  const writer = parts.writable.getWriter()
  const reader = parts.readable.getReader()
  const responder: Responder = {
    async *answer(question, signal) {
      questions.push(question)
      signals.push(signal)
      requests.at(-1)?.resolve(question)
      requests.push(Promise.withResolvers())
      for (;;) {
        const { value } = await reader.read()
        if (value === undefined || value === 'end') return
        if (value instanceof Error) throw value
        yield value
      }
    },
  }
  return {
    responder,
    questions,
    signals,
    asked: (time: number) => requests[time]?.promise,
    say: (part: AnswerPart | Error | 'end') => writer.write(part),
  }
}

/** A responder's input from a contact whose last message is `text`. */
export const questionOf = (responder: ResponderSettings, text = 'What does it cost?'): Question => ({
  turnId: 'turn_c_3',
  bot: { id: 'b', name: 'Acme', locale: 'en', texts: {}, responder, handover: false },
  conversationId: 'c',
  contact: { id: 'a', name: 'Ada' },
  messages: [messageOf('visitor', 'Hello', 1), messageOf('bot', 'Hello Ada!', 2), messageOf('visitor', text, 3)],
})

export const messageOf = (author: Message['author'], text: string, seq: number): Message => ({
  id: `id-${seq}`,
  seq,
  author,
  text,
  format: 'plain',
  createdAt: '2030-01-15T12:00:00.000Z',
})

/** A complete reply, with the number of its text chunks. */
export async function collect(parts: AsyncIterable<AnswerPart>) {
  const answer = { text: '', pieces: 0, format: 'plain', quickReplies: [] as string[], silent: false }
  for await (const part of parts) {
    if ('text' in part) {
      answer.text += part.text
      answer.pieces++
    } else if ('restart' in part) {
      answer.text = ''
    } else {
      Object.assign(answer, part)
    }
  }
  return answer
}
