import MiniSearch from 'minisearch'
import { normalizeName } from '../search/searchNormalization.ts'
import { type ContentLanguage, contentLanguages, unspacedStopWords } from './contentLanguages.ts'
import type { Content, Section } from './contentSections.ts'

/** A word of a text, as the terms under which the index may have it: as it is, its stem, and its groups of synonyms. */
export type Terms = [string, ...string[]]

/** A section that was found. */
export interface FoundSection {
  section: Section
  /** How well it fits, from 0 to 2: the share of the words of the question that it has, and that of its heading that were asked for. */
  fit: number
  /** Whether it is about what was asked for: it has what no answer can do without, and more than what "how much" asks for. */
  isAbout: boolean
}

/** The search in some content. */
export interface SectionSearch {
  /** The terms of words without stop words. At most `maxWords`. */
  termsOf(words: readonly string[]): Terms[]
  /** Finds the sections that have some of the words, the best first. */
  find(asked: readonly Terms[]): FoundSection[]
}

/** The most words that are searched for, because each is compared with the whole index. */
const maxWords = 40
/**
 * The longest word that has a stem, and is also found with typing mistakes. The search makes a table of the square of its
 * length: half a gigabyte for the longest message, if that is one word.
 */
const longestWord = 64

/** Scripts that are written without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** The words of a text, in lower case. */
export function wordsOf(text: string): string[] {
  const parts = unspaced.test(text) ? [...segmenter.segment(text)].map(({ segment }) => segment) : [text]
  return parts.flatMap(part => part.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [])
}

/** Creates the search in the sections of a folder. They are taken to be in the language of most of their words. */
export function createSectionSearch({ sections, synonyms = '' }: SearchedContent): SectionSearch {
  const { stem, stopWords, phrases, groups, needed, weak } = vocabularyOf(sections, synonyms)

  /** The words of a text without stop words. A phrase is replaced by its group of synonyms. */
  function keep(words: readonly string[]): string[] {
    let text = ` ${words.join(' ')} `
    for (const [phrase, group] of phrases) text = text.replaceAll(` ${phrase} `, ` ${group} `)
    return text.split(' ').filter(word => word !== '' && !stopWords.has(normalizeName(word)) && !particle.test(word))
  }

  const known = new Set<string>()

  function termsOfWord(word: string): Terms {
    const stemmed = stem(word)
    return [...new Set([normalizeName(word), stemmed, ...(groups.get(stemmed) ?? [])])] as Terms
  }

  /** Each word once, whatever its form. */
  const termsOf = (words: readonly string[]): Terms[] => [
    ...new Map(
      keep(words)
        .slice(0, maxWords)
        .map(word => termsOfWord(word))
        .map(terms => [terms.at(-1), terms]),
    ).values(),
  ]

  const headings = sections.map(({ heading }) => termsOf(wordsOf(heading)))
  const index = new MiniSearch<Section & { id: number }>({
    fields: ['heading', 'topic', 'text'],
    tokenize: text => keep(wordsOf(text)),
    processTerm: word => {
      const terms = termsOfWord(word)
      for (const term of terms) known.add(term)
      return terms
    },
  })
  index.addAll(sections.map((section, id) => ({ ...section, id })))

  function find(asked: readonly Terms[]): FoundSection[] {
    const found = index.search(asked.map(terms => terms.join(' ')).join(' '), {
      tokenize: text => text.split(' '),
      processTerm: term => term,
      boost: { heading: 2 },
      // The default, without what is added for each word however long the text is.
      bm25: { k: 1.2, b: 0.7, d: 0 },
      prefix: term => term.length > 3,
      fuzzy: term => (!known.has(term) && term.length > 4 && term.length <= longestWord ? 0.2 : false),
    })
    return found
      .flatMap(({ id, score, queryTerms, match }) => {
        const section = sections[id as number]
        if (!section) return []
        const has = (terms: Terms): boolean => terms.some(term => queryTerms.includes(term))
        const isNamed = (terms: Terms): boolean => terms.some(term => match[term]?.includes('heading'))
        const fit = shareOf(asked, has) + shareOf(headings[id as number] ?? [], isNamed)
        const isAbout =
          asked.every(terms => has(terms) || !isIn(needed, terms)) &&
          (asked.some(terms => has(terms) && !isIn(weak, terms)) || asked.every(terms => isIn(weak, terms)))
        return [{ section, fit, isAbout, score: score * fit }]
      })
      .sort((a, b) => b.score - a.score)
  }

  return { termsOf, find }
}

/** Content to search in. */
export type SearchedContent = Pick<Content, 'sections'> & Partial<Pick<Content, 'synonyms'>>

/** Hiragana of one or two letters are particles and endings. */
const particle = /^\p{Script=Hiragana}{1,2}$/u

const isIn = (groups: ReadonlySet<string>, terms: Terms): boolean => terms.some(term => groups.has(term))

const shareOf = <Thing>(things: readonly Thing[], is: (thing: Thing) => boolean): number =>
  things.length === 0 ? 0 : things.filter(is).length / things.length

const setOf = (words: string): Set<string> => new Set(words.split(' ').map(normalizeName))
const stopWordsOf = new Map(contentLanguages.map(language => [language, setOf(language.stopWords)]))

/** A text is in a language if at least this part of its words are stop words there. */
const leastStopWordShare = 0.1

/** The language of the most sections' words; one without a stem and synonyms if none is known. */
function languageOf(sections: readonly Section[]): ContentLanguage {
  const words = sections.flatMap(({ heading, text }) => wordsOf(`${heading} ${text}`).map(normalizeName))
  const shares = contentLanguages.map(language => ({
    language,
    share: shareOf(words, word => stopWordsOf.get(language)?.has(word) ?? false),
  }))
  const best = shares.reduce((a, b) => (b.share > a.share ? b : a))
  return best.share < leastStopWordShare ? { stopWords: '' } : best.language
}

/** The vocabulary of content: that of its language, with synonyms of its own. */
function vocabularyOf(sections: readonly Section[], ownSynonyms: string) {
  const language = languageOf(sections)
  const stem = (word: string): string =>
    normalizeName(language.stem && word.length <= longestWord ? language.stem(word) : word)
  const phrases = new Map<string, string>()
  const groups = new Map<string, string[]>()
  const needed = new Set<string>()
  const weak = new Set<string>()
  for (const [index, line] of `${language.synonyms ?? ''}\n${ownSynonyms}`.split('\n').entries()) {
    const group = `=${index}`
    if (line.startsWith('!')) needed.add(group)
    if (line.startsWith('?')) weak.add(group)
    for (const entry of line.replace(/#.*/, '').split(',')) {
      const words = wordsOf(entry)
      const [word = '', ...others] = words
      if (others.length > 0) phrases.set(words.join(' '), group)
      else if (word !== '') groups.set(stem(word), [...(groups.get(stem(word)) ?? []), group])
    }
  }
  return { stem, stopWords: setOf(`${language.stopWords} ${unspacedStopWords}`), phrases, groups, needed, weak }
}
