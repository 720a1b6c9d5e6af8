import type { Message, MessageWithContext, ResponderSettings, StreamEvent } from '../../contract/index.ts'
import type { TextReplacements } from '../texts/english.ts'

/** The input of a responder: the conversation's last messages and events, with the unanswered ones at the end. */
export interface Question {
  /** The id of the turn. It is the same if the turn is repeated, for example after a crash. */
  turnId: string
  bot: {
    id: string
    name: string
    /** The language to answer in, a BCP 47 tag or `''`. */
    locale: string
    /** What the bot says in place of the texts in that language. */
    texts: TextReplacements
    responder: ResponderSettings
    /** Whether visitors may ask for a person of the team. */
    handover: boolean
  }
  conversationId: string
  contact: { id: string; name: string } | null
  messages: MessageWithContext[]
}

/** What a responder does before it writes. It is shown until then, and not stored. */
export type Progress = Pick<Extract<StreamEvent, { event: 'typing' }>['data'], 'thinking' | 'status'>

/**
 * One part of a reply: text to append, a property of the message, or what happens to the reply.
 */
export type AnswerPart =
  | { text: string }
  | { format: Message['format'] }
  | { quickReplies: string[] }
  /** Replaces the one before. Ignored once there is a text. */
  | { progress: Progress }
  /** Not checked yet: bad ones are dropped. */
  | { sources: unknown }
  /** There is no reply. */
  | { silent: true }
  /** The conversation is handed over to the team after the reply. */
  | { handOver: true }
  /** The text so far is no part of the reply. */
  | { restart: true }
  /** The service has cut the reply off, for example at its limit of length. */
  | { isCut: true }

/** The port to a service that answers visitors. */
export interface Responder {
  /**
   * Yields the reply as it arrives. Stops at once when `signal` aborts. Throws if it cannot answer; the error is
   * logged, so it must not contain message texts or secrets.
   */
  answer(question: Question, signal: AbortSignal): AsyncIterable<AnswerPart>
}
