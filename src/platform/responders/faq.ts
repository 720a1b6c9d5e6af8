import { setTimeout } from 'node:timers/promises'
import { firstName } from '../../contract/firstName.ts'
import type { Message, Source } from '../../contract/index.ts'
import { botTextsOf, isPersonRequest } from '../texts/botTexts.ts'
import type { BotTexts } from '../texts/english.ts'
import { readContent, type Section, topicsOf } from './contentSections.ts'
import { createFaqFinder } from './faqFinder.ts'
import type { AnswerPart, Question, Responder } from './responder.ts'

export interface FaqOptions {
  /** The folder of Markdown files. Without one, or if it is empty, no question can be answered. */
  folder?: string | undefined
  /** The address below which the pages of the files are. */
  baseUrl?: string | undefined
  /** Pause between two words, in milliseconds; default 25, less for long answers. */
  paceMs?: number
}

interface Reply {
  text: string
  isMarkdown?: boolean
  source?: Source
  quickReplies: string[]
  handOver?: boolean
  isUnknown?: boolean
}

/** A long answer takes at most this time to appear. */
const maxTypingMs = 3000
const maxTopics = 6
/** More unanswered messages than this are not looked at. */
const maxQuestions = 5

/**
 * Creates the embedded responder. It answers from a folder of Markdown files by full-text search, greets back,
 * a contact by its first name, and says so if it has no answer. Throws if the folder cannot be read.
 */
export async function createFaqResponder({ folder, baseUrl, paceMs = 25 }: FaqOptions = {}): Promise<Responder> {
  const content = folder === undefined ? { sections: [] } : await readContent(folder, baseUrl)
  const find = createFaqFinder(content)
  const topics = topicsOf(content.sections).slice(0, maxTopics)

  function replyTo(text: string, question: Question): Reply {
    const { handover } = question.bot
    const texts = botTextsOf(question.bot)
    const listed = topics.length > 0 ? ` ${texts.topics}` : ''
    const suggestions = handover ? [...topics, texts.person] : topics
    // The message has only files.
    if (text === '') return { text: texts.files + listed, quickReplies: suggestions }
    if (handover && isPersonRequest(text, texts)) return { text: '', quickReplies: [], handOver: true }
    const match = find(text)
    switch (match.kind) {
      case 'answer':
        return { ...answerOf(match.section), quickReplies: [] }
      case 'thanks':
        return { text: texts.welcome, quickReplies: [] }
      case 'greeting':
        return { ...greetBack(question, texts, texts.help + listed), quickReplies: topics }
      case 'none':
        return { text: texts.unknown + listed, quickReplies: suggestions, isUnknown: true }
    }
  }

  return {
    async *answer(question, signal) {
      const all = unanswered(question).map(({ text }) => replyTo(text, question))
      const known = all.filter(({ isUnknown }) => !isUnknown)
      // "I don't know the answer to that" beside the answer to another question would not say which one is meant.
      const replies = known.length > 0 ? known : all
      if (replies.some(({ isMarkdown }) => isMarkdown)) yield { format: 'markdown' }
      const answer = [...new Set(replies.map(({ text }) => text).filter(Boolean))].join('\n\n')
      if (answer !== '') yield* typeOut(answer, paceMs, signal)
      const sources = new Map(replies.flatMap(({ source }) => (source ? [[source.url, source] as const] : [])))
      if (sources.size > 0) yield { sources: [...sources.values()] }
      const quickReplies = replies.at(-1)?.quickReplies ?? []
      if (quickReplies.length > 0) yield { quickReplies }
      if (replies.some(({ handOver }) => handOver)) yield { handOver: true }
    },
  }
}

const answerOf = ({ text, isMarkdown, heading, url }: Section): Omit<Reply, 'quickReplies'> => ({
  text,
  ...(isMarkdown && { isMarkdown }),
  ...(url !== undefined && { source: { title: heading, url } }),
})

/** The visitor's messages since the last reply or event: there may be several. */
function unanswered({ messages }: Question): Message[] {
  const last = messages.findLastIndex(({ author }) => author !== 'visitor')
  return messages.slice(last + 1).slice(-maxQuestions)
}

/** Greets a contact by its first name, in Markdown if the name would be taken for Markdown. */
function greetBack({ contact, bot }: Question, texts: BotTexts, help: string): Pick<Reply, 'text' | 'isMarkdown'> {
  if (!contact) return { text: help }
  const name = firstName(contact.name, bot.locale)
  const escaped = name.replace(/[!-/:-@[-`{-~]/g, '\\$&')
  return { text: `${texts.hello.replace('{name}', () => escaped)} ${help}`, isMarkdown: escaped !== name }
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
