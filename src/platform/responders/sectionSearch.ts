import MiniSearch from 'minisearch'
import { normalizeName } from '../search/searchNormalization.ts'
import type { FaqSection } from './faqSections.ts'

/** A section that was found, and how many of the words that were asked for it has. */
export interface FoundSection {
  section: FaqSection
  words: number
}

/** Finds the sections that have some of the words, the best first. */
export type SectionSearch = (words: readonly string[]) => FoundSection[]

/** The most words that are searched for, because each is compared with the whole index. */
export const maxWords = 40
/**
 * The longest word that is also found with typing mistakes. The search makes a table of the square of its length: half a
 * gigabyte for the longest message, if that is one word.
 */
const longestMistyped = 64
// Words that are ignored in questions.
const stopWords = new Set(
  (
    'a about all also am an and any are as at be been but by can could did do does for from get got had has have how i if in ' +
    'into is it its just let many may me might want need like much my no not of on or our please should so some something tell than that the ' +
    'their them then there these they this to too up us was we were what when where which who why will with would you your'
  ).split(' '),
)

// Words in Chinese and Japanese that are ignored in questions.
for (const word of (
  '的 了 吗 嗎 呢 吧 啊 我 你 您 他 她 它 我们 我們 你们 你們 是 在 有 和 与 與 或 也 都 就 不 怎么 怎麼 怎样 怎樣 如何 什么 什麼 哪 哪里 哪裡 哪些 ' +
  '为什么 為什麼 多少 几 幾 可以 能 会 會 要 想 请 請 请问 請問 这 這 那 个 個 一 个 如果 について ください でしょう ましょう'
).split(' '))
  stopWords.add(normalizeName(word))

/** Hiragana of one or two letters are particles and endings. */
export const isIgnored = (word: string): boolean => stopWords.has(word) || /^\p{Script=Hiragana}{1,2}$/u.test(word)

/** Scripts that are written without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** The words of a text, in lower case and without marks and plural endings. */
export function wordsOf(text: string): string[] {
  // Before the normalization, which changes letters that the dictionaries know.
  const parts = unspaced.test(text) ? [...segmenter.segment(text)].map(({ segment }) => segment) : [text]
  return parts.flatMap(part => normalizeName(part).match(/[\p{L}\p{N}]+/gu) ?? []).map(stem)
}

/** Removes a plural s, which is enough for headings and questions in English. */
const stem = (word: string): string => (word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word)

export function createSectionSearch(sections: readonly FaqSection[]): SectionSearch {
  const index = new MiniSearch<FaqSection & { id: number }>({
    fields: ['heading', 'topic', 'text'],
    tokenize: wordsOf,
    processTerm: word => (isIgnored(word) ? null : word),
  })
  index.addAll(sections.map((section, id) => ({ ...section, id })))
  return words =>
    index
      .search([...new Set(words.slice(0, maxWords))].join(' '), {
        processTerm: word => word,
        boost: { heading: 4, topic: 2 },
        prefix: word => word.length > 3,
        fuzzy: word => (word.length > 4 && word.length <= longestMistyped ? 0.2 : false),
      })
      .flatMap(({ id, queryTerms }) => {
        const section = sections[id as number]
        return section ? { section, words: new Set(queryTerms).size } : []
      })
}
