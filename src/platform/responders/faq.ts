import { setTimeout } from 'node:timers/promises'
import MiniSearch from 'minisearch'
import type { Message } from '../../contract/index.ts'
import { normalizeName } from '../search/searchNormalization.ts'
import { type FaqSection, readFaqSections } from './faqSections.ts'
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
}

const longestAnswerMs = 3000
const topicsOffered = 6
const questionsAtOnce = 5
/** The most words of a message that are searched for, because each is compared with the whole index. */
const wordsLookedAt = 40
// Words that are ignored in questions.
const stopWords = new Set(
  (
    'a about all also am an and any are as at be been but by can could did do does for from get got had has have how i if in ' +
    'into is it its just let many may me might want need like much my no not of on or our please should so some something tell than that the ' +
    'their them then there these they this to too up us was we were what when where which who why will with would you your'
  ).split(' '),
)
const greetings = new Set('hello hi hey hallo hei moin good morning afternoon evening day greetings'.split(' '))
const thanks = new Set('thank thanks thx'.split(' '))

/**
 * Creates the embedded responder. It answers from a folder of Markdown files by full-text search, greets an identified
 * contact by name, and says so if it has no answer. Throws if the folder cannot be read.
 */
export async function createFaqResponder({ folder, paceMs = 25 }: FaqOptions = {}): Promise<Responder> {
  const answers = folder === undefined ? [] : await readFaqSections(folder)
  const find = createFinder(answers)
  const topics = [...new Set(answers.map(({ topic }) => topic))].filter(Boolean).slice(0, topicsOffered)

  return {
    async *answer(question, signal) {
      const replies = unanswered(question).map(({ text }) => replyTo(text, find, topics))
      const isMarkdown = replies.some(({ markdown }) => markdown)
      const texts = new Set(replies.map(({ text, markdown }) => markdown ?? text))
      if (isMarkdown) yield { format: 'markdown' }
      yield* typedOut(greeting(question, isMarkdown) + [...texts].join('\n\n'), paceMs, signal)
      const quickReplies = replies.at(-1)?.quickReplies ?? []
      if (quickReplies.length > 0) yield { quickReplies }
    },
  }
}

/** The visitor's messages since the last reply: there may be several. */
function unanswered({ messages }: Question): Message[] {
  const last = messages.findLastIndex(({ author }) => author !== 'visitor')
  return messages.slice(last + 1).slice(-questionsAtOnce)
}

function replyTo(asked: string, find: (words: string[]) => FaqSection | undefined, topics: string[]): Reply {
  const said = wordsOf(asked)
  const words = said.filter(word => !stopWords.has(word) && !greetings.has(word) && !thanks.has(word))
  const offer = topics.length > 0 ? ' You can ask me about one of these:' : ''
  // A question of stop words only ("What do you do?") is searched for as it is; greetings and thanks are not.
  const polite = said.some(word => greetings.has(word) || thanks.has(word))
  const found = find(words.length > 0 || polite ? words : said)
  if (found) return { ...found, quickReplies: [] }
  if (said.some(word => thanks.has(word))) return { text: "You're welcome!", quickReplies: [] }
  if (polite && words.length === 0) return { text: `How can I help you?${offer}`, quickReplies: topics }
  return { text: `I'm sorry, I don't know the answer to that.${offer}`, quickReplies: topics }
}

/** Greets the contact in the first reply of a conversation. Escapes Markdown in the name. */
function greeting({ contact, messages }: Question, isMarkdown: boolean): string {
  if (!contact || messages.some(({ author }) => author === 'bot')) return ''
  return `Hello ${isMarkdown ? contact.name.replace(/[!-/:-@[-`{-~]/g, '\\$&') : contact.name}! `
}

const wordsOf = (text: string): string[] =>
  normalizeName(text)
    .match(/[\p{L}\p{N}]+/gu)
    ?.map(stem) ?? []

/** Removes a plural s, which is enough for headings and questions in English. */
const stem = (word: string): string => (word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word)

function createFinder(answers: FaqSection[]): (words: string[]) => FaqSection | undefined {
  const index = new MiniSearch<FaqSection & { id: number }>({
    fields: ['heading', 'topic', 'text'],
    tokenize: wordsOf,
    processTerm: word => (stopWords.has(word) ? null : word),
  })
  index.addAll(answers.map((answer, id) => ({ ...answer, id })))
  return words => {
    const asked = new Set(words.slice(0, wordsLookedAt))
    const [best] = index.search([...asked].join(' '), {
      processTerm: word => word,
      boost: { heading: 4, topic: 2 },
      prefix: word => word.length > 3,
      fuzzy: word => (word.length > 4 ? 0.2 : false),
    })
    // Ignore results with too few words in common.
    if (!best || new Set(best.queryTerms).size * 3 < asked.size) return undefined
    return answers[best.id as number]
  }
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
