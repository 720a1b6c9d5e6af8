import type { Message } from '../../contract/index.ts'

/** What a responder is asked: the conversation's last messages, the one to answer at the end. */
export interface Question {
  botId: string
  conversationId: string
  contact: { id: string; name: string } | null
  messages: Message[]
}

/** One piece of an answer: text to append, or what comes with the finished message. */
export type AnswerPart = { text: string } | { format: Message['format'] } | { quickReplies: string[] }

/** The port to whatever answers visitors. */
export interface Responder {
  /** Yields the answer as it comes; stops at once when `signal` aborts; throws when it can't answer. */
  answer(question: Question, signal: AbortSignal): AsyncIterable<AnswerPart>
}
