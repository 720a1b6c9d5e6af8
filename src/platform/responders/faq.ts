import { setTimeout } from 'node:timers/promises'
import type { Message } from '../../contract/index.ts'
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

/** The quick reply with which a visitor asks for a person. */
export const handoverWord = 'Talk to a person'

const longestAnswerMs = 3000
const topicsOffered = 6
const questionsAtOnce = 5
/**
 * Creates the embedded responder. It answers from a folder of Markdown files by full-text search, greets an identified
 * contact by name, and says so if it has no answer. Throws if the folder cannot be read.
 */
export async function createFaqResponder({ folder, paceMs = 25 }: FaqOptions = {}): Promise<Responder> {
  const { sections } = folder === undefined ? { sections: [] } : await readFaqContent(folder)
  const find = createFaqFinder(sections)
  const topics = topicsOf(sections).slice(0, topicsOffered)

  return {
    async *answer(question, signal) {
      const { handover } = question.bot
      const replies = unanswered(question).map(({ text }) => {
        // The message has files only.
        if (text === '') return unread(topics, handover)
        return handover && isHandoverWord(text) ? handingOver : replyTo(text, find, topics, handover)
      })
      const isMarkdown = replies.some(({ markdown }) => markdown)
      const texts = new Set(replies.map(({ text, markdown }) => markdown ?? text).filter(Boolean))
      if (isMarkdown) yield { format: 'markdown' }
      if (texts.size > 0) yield* typedOut(greeting(question, isMarkdown) + [...texts].join('\n\n'), paceMs, signal)
      const quickReplies = replies.at(-1)?.quickReplies ?? []
      if (quickReplies.length > 0) yield { quickReplies }
      if (replies.some(({ handOver }) => handOver)) yield { handOver: true }
    },
  }
}

/** The visitor's messages since the last reply or event: there may be several. */
function unanswered({ messages }: Question): Message[] {
  const last = messages.findLastIndex(({ author }) => author !== 'visitor')
  return messages.slice(last + 1).slice(-questionsAtOnce)
}

const handingOver: Reply = { text: '', quickReplies: [], handOver: true }

/** Whether the visitor asks for a person by that word. */
export const isHandoverWord = (text: string): boolean => text.trim().toLowerCase() === handoverWord.toLowerCase()

function replyTo(asked: string, find: FaqFinder, topics: string[], handover: boolean): Reply {
  const offer = offerOf(topics)
  const match = find(asked)
  switch (match.kind) {
    case 'answer':
      return { ...match.section, quickReplies: [] }
    case 'thanks':
      return { text: "You're welcome!", quickReplies: [] }
    case 'greeting':
      return { text: `How can I help you?${offer}`, quickReplies: topics }
    case 'none':
      return {
        text: `I'm sorry, I don't know the answer to that.${offer}`,
        quickReplies: suggestionsOf(topics, handover),
      }
  }
}

/** The reply to files without a text. */
const unread = (topics: string[], handover: boolean): Reply => ({
  text: `Thank you. I can't open files myself.${offerOf(topics)}`,
  quickReplies: suggestionsOf(topics, handover),
})

const offerOf = (topics: string[]): string => (topics.length > 0 ? ' You can ask me about one of these:' : '')
const suggestionsOf = (topics: string[], handover: boolean): string[] => [
  ...topics,
  ...(handover ? [handoverWord] : []),
]

/** Greets the contact in the first reply of a conversation. Escapes Markdown in the name. */
function greeting({ contact, messages }: Question, isMarkdown: boolean): string {
  if (!contact || messages.some(({ author }) => author === 'bot')) return ''
  return `Hello ${isMarkdown ? contact.name.replace(/[!-/:-@[-`{-~]/g, '\\$&') : contact.name}! `
}

/** Yields a text word by word, like somebody who types fast. */
async function* typedOut(text: string, paceMs: number, signal: AbortSignal): AsyncGenerator<AnswerPart> {
  const words = text.match(/\S+\s*|\s+/g) ?? []
  const pause = Math.min(paceMs, longestAnswerMs / words.length)
  for (const word of words) {
    if (pause > 0) await setTimeout(pause, undefined, { signal })
    signal.throwIfAborted()
    yield { text: word }
  }
}
