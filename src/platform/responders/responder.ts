import type { Message, ResponderSettings } from '../../contract/index.ts'

/** What a responder is asked: the conversation's last messages, those to answer at the end. */
export interface Question {
  /** The same when the same turn is asked again, after a crash say. */
  turnId: string
  bot: { id: string; name: string; responder: ResponderSettings }
  conversationId: string
  contact: { id: string; name: string } | null
  messages: Message[]
}

/** One piece of an answer: text to append, what comes with the finished message, or that nothing is to be said. */
export type AnswerPart =
  | { text: string }
  | { format: Message['format'] }
  | { quickReplies: string[] }
  | { silent: true }

/** The port to whatever answers visitors. */
export interface Responder {
  /**
   * Yields the answer as it comes; stops at once when `signal` aborts; throws when it can't answer, an error that the
   * operator may read: with no text of a message and no secret in it.
   */
  answer(question: Question, signal: AbortSignal): AsyncIterable<AnswerPart>
}
