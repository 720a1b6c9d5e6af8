import type { AnswerPart, Question, Responder } from './responders/responder.ts'

/** A responder whose every part a test lets through. */
export function createGuided() {
  const questions: Question[] = []
  const signals: AbortSignal[] = []
  const asked: PromiseWithResolvers<Question>[] = [Promise.withResolvers()]
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
      asked.at(-1)?.resolve(question)
      asked.push(Promise.withResolvers())
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
    asked: (time: number) => asked[time]?.promise,
    say: (part: AnswerPart | Error | 'end') => writer.write(part),
  }
}
