import MiniSearch from 'minisearch'
import { normalizeName } from '../search/searchNormalization.ts'
import type { FaqSection } from './faqSections.ts'

/** What is found for a message. `words` are those that were searched for. */
export type FaqMatch =
  | { kind: 'answer'; section: FaqSection }
  | { kind: 'thanks' }
  | { kind: 'greeting' }
  | { kind: 'none'; words: string[] }

/** Finds the section that answers a message. */
export type FaqFinder = (asked: string) => FaqMatch

/** The most words of a message that are searched for, because each is compared with the whole index. */
const maxWords = 40
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
const isIgnored = (word: string): boolean => stopWords.has(word) || /^\p{Script=Hiragana}{1,2}$/u.test(word)

/** Scripts that are written without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

function wordsOf(text: string): string[] {
  // Before the normalization, which changes letters that the dictionaries know.
  const parts = unspaced.test(text) ? [...segmenter.segment(text)].map(({ segment }) => segment) : [text]
  return parts.flatMap(part => normalizeName(part).match(/[\p{L}\p{N}]+/gu) ?? []).map(stem)
}

/** Removes a plural s, which is enough for headings and questions in English. */
const stem = (word: string): string => (word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word)

// Greetings and thanks in the languages of the bot's texts. Words that mean something else in one of them are left out.
const greetings = new Set(
  wordsOf(
    'hello hi hey good morning afternoon evening day greetings hallo moin bonjour bonsoir salut hola buenas ciao buongiorno ' +
      'buonasera olá hei ahoj cześć witam привет здравствуйте привіт вітаю merhaba selam halo chào مرحبا أهلا سلام السلام عليكم ' +
      'שלום नमस्ते こんにちは 안녕하세요 你好 您好',
  ),
)
const thanks = new Set(
  wordsOf(
    'thank thanks thx danke merci gracias grazie obrigado obrigada bedankt dankjewel takk děkuji dziękuję спасибо дякую ' +
      'teşekkürler شكرا ممنون متشکرم شکریہ תודה धन्यवाद ありがとう 감사합니다 고마워요 谢谢 謝謝',
  ),
)

export function createFaqFinder(sections: FaqSection[]): FaqFinder {
  const search = createSearch(sections)
  // Headings may consist of ignored words only ("Where are you?"). Of equal headings, the first counts.
  const byHeading = new Map(sections.toReversed().map(section => [wordsOf(section.heading).join(' '), section]))
  return asked => {
    const said = wordsOf(asked)
    const words = said.filter(word => !isIgnored(word) && !greetings.has(word) && !thanks.has(word))
    const isThanks = said.some(word => thanks.has(word))
    const section = (said.length > 0 && byHeading.get(said.join(' '))) || search(words)
    if (section) return { kind: 'answer', section }
    if (isThanks) return { kind: 'thanks' }
    // Nothing that content could answer was said, as in "How are you?" or 👋.
    return words.length === 0 ? { kind: 'greeting' } : { kind: 'none', words }
  }
}

function createSearch(sections: FaqSection[]): (words: string[]) => FaqSection | undefined {
  const index = new MiniSearch<FaqSection & { id: number }>({
    fields: ['heading', 'topic', 'text'],
    tokenize: wordsOf,
    processTerm: word => (isIgnored(word) ? null : word),
  })
  index.addAll(sections.map((section, id) => ({ ...section, id })))
  return words => {
    const asked = new Set(words.slice(0, maxWords))
    const [best] = index.search([...asked].join(' '), {
      processTerm: word => word,
      boost: { heading: 4, topic: 2 },
      prefix: word => word.length > 3,
      fuzzy: word => (word.length > 4 && word.length <= longestMistyped ? 0.2 : false),
    })
    // Ignore results with too few words in common.
    if (!best || new Set(best.queryTerms).size * 3 < asked.size) return undefined
    return sections[best.id as number]
  }
}
