import { setTimeout } from 'node:timers/promises'
import type { Message } from '../../contract/index.ts'
import { botTextsIn, isPersonRequest } from '../texts/botTexts.ts'
import type { BotTexts } from '../texts/english.ts'
import { createFaqFinder, type FaqFinder } from './faqFinder.ts'
import { readFaqContent, topicsOf } from './faqSections.ts'
import type { AnswerPart, Question, Responder } from './responder.ts'

export interface FaqOptions {
  /** The folder of Markdown files. Without one, or if it is empty, no question can be answered. */
  folder?: string | undefined
  /** Pause between two words, in milliseconds; default 25, less for long answers. */
  paceMs?: number
}

interface Reply {
  text: string
  markdown?: string | undefined
  quickReplies: string[]
  handOver?: boolean
}

/** A long answer takes at most this time to appear. */
const maxTypingMs = 3000
const maxTopics = 6
/** More unanswered messages than this are not looked at. */
const maxQuestions = 5

/**
 * Creates the embedded responder. It answers from a folder of Markdown files by full-text search, greets an identified
 * contact by name, and says so if it has no answer. Throws if the folder cannot be read.
 */
export async function createFaqResponder({ folder, paceMs = 25 }: FaqOptions = {}): Promise<Responder> {
  const { sections } = folder === undefined ? { sections: [] } : await readFaqContent(folder)
  const find = createFaqFinder(sections)
  const topics = topicsOf(sections).slice(0, maxTopics)

  return {
    async *answer(question, signal) {
      const { handover } = question.bot
      const texts = botTextsIn(question.bot.locale)
      const offer = { text: topics.length > 0 ? ` ${texts.topics}` : '', topics }
      const suggestions = handover ? [...topics, texts.person] : topics
      const replies = unanswered(question).map(({ text }): Reply => {
        // The message has only files.
        if (text === '') return { text: texts.files + offer.text, quickReplies: suggestions }
        return handover && isPersonRequest(text) ? handoverReply : replyTo(text, find, texts, offer, suggestions)
      })
      const isMarkdown = replies.some(({ markdown }) => markdown)
      const paragraphs = new Set(replies.map(({ text, markdown }) => markdown ?? text).filter(Boolean))
      if (isMarkdown) yield { format: 'markdown' }
      const answer = [...paragraphs].join('\n\n')
      if (answer !== '') yield* typeOut(greeting(question, texts, isMarkdown) + answer, paceMs, signal)
      const quickReplies = replies.at(-1)?.quickReplies ?? []
      if (quickReplies.length > 0) yield { quickReplies }
      if (replies.some(({ handOver }) => handOver)) yield { handOver: true }
    },
  }
}

/** The visitor's messages since the last reply or event: there may be several. */
function unanswered({ messages }: Question): Message[] {
  const last = messages.findLastIndex(({ author }) => author !== 'visitor')
  return messages.slice(last + 1).slice(-maxQuestions)
}

const handoverReply: Reply = { text: '', quickReplies: [], handOver: true }

function replyTo(
  text: string,
  find: FaqFinder,
  texts: BotTexts,
  offer: { text: string; topics: string[] },
  suggestions: string[],
): Reply {
  const match = find(text)
  switch (match.kind) {
    case 'answer':
      return { ...match.section, quickReplies: [] }
    case 'thanks':
      return { text: texts.welcome, quickReplies: [] }
    case 'greeting':
      return { text: texts.help + offer.text, quickReplies: offer.topics }
    case 'none':
      return { text: texts.unknown + offer.text, quickReplies: suggestions }
  }
}

/**
 * Greets the contact in the first reply of a conversation. In Markdown the name is escaped, and the greeting is a paragraph of its
 * own: the answer may begin with a list or a table.
 */
function greeting({ contact, messages }: Question, texts: BotTexts, isMarkdown: boolean): string {
  if (!contact || messages.some(({ author }) => author === 'bot')) return ''
  const name = isMarkdown ? contact.name.replace(/[!-/:-@[-`{-~]/g, '\\$&') : contact.name
  return texts.hello.replace('{name}', () => name) + (isMarkdown ? '\n\n' : ' ')
}

/** Yields a text word by word, like somebody who types fast. */
async function* typeOut(text: string, paceMs: number, signal: AbortSignal): AsyncGenerator<AnswerPart> {
  const words = text.match(/\S+\s*|\s+/g) ?? []
  const pause = Math.min(paceMs, maxTypingMs / words.length)
  for (const word of words) {
    if (pause > 0) await setTimeout(pause, undefined, { signal })
    signal.throwIfAborted()
    yield { text: word }
  }
}
