import { normalizeName } from '../search/searchNormalization.ts'
import type { Section } from './contentSections.ts'
import { createSectionSearch, type SearchedContent, wordsOf } from './sectionSearch.ts'

/** What is found for a message. `words` are the stems of those that were searched for, or their groups of synonyms. */
export type FaqMatch =
  | { kind: 'answer'; section: Section }
  | { kind: 'thanks' }
  | { kind: 'greeting' }
  | { kind: 'none'; words: string[] }

/** Finds the section that answers a message. */
export type FaqFinder = (asked: string) => FaqMatch

/** How well a section must fit to be an answer, of 2. */
const leastFit = 0.6

/** The words of a text without marks. */
const plainWordsOf = (text: string): string[] => wordsOf(text).map(normalizeName)

// Greetings and thanks in the languages of the bot's texts. Words that mean something else in one of them are left out.
const greetings = new Set(
  plainWordsOf(
    'hello hi hey good morning afternoon evening day greetings hallo moin bonjour bonsoir salut hola buenas ciao buongiorno ' +
      'buonasera olá hei ahoj cześć witam привет здравствуйте привіт вітаю merhaba selam halo chào مرحبا أهلا سلام السلام عليكم ' +
      'שלום नमस्ते こんにちは 안녕하세요 你好 您好',
  ),
)
const thanks = new Set(
  plainWordsOf(
    'thank thanks thx danke merci gracias grazie obrigado obrigada bedankt dankjewel takk děkuji dziękuję спасибо дякую ' +
      'teşekkürler شكرا ممنون متشکرم شکریہ תודה धन्यवाद ありがとう 감사합니다 고마워요 谢谢 謝謝',
  ),
)

export function createFaqFinder(content: SearchedContent): FaqFinder {
  const search = createSectionSearch(content)
  // Headings may consist of stop words only ("Where are you?"). Of equal headings, the first counts.
  const byHeading = new Map(
    content.sections.toReversed().map(section => [plainWordsOf(section.heading).join(' '), section]),
  )
  return message => {
    const said = wordsOf(message)
    const plain = said.map(normalizeName)
    const asked = search.termsOf(said.filter(word => !isPolite(normalizeName(word))))
    // More words are a question beside the thanks.
    const isThanks = asked.length < 3 && plain.some(word => thanks.has(word))
    const section = (said.length > 0 && byHeading.get(plain.join(' '))) || findBest()
    if (section) return { kind: 'answer', section }
    if (isThanks) return { kind: 'thanks' }
    // Nothing that content could answer was said, as in "How are you?" or 👋.
    return asked.length === 0 ? { kind: 'greeting' } : { kind: 'none', words: asked.map(terms => terms.at(-1) ?? '') }

    function findBest(): Section | undefined {
      const [best] = search.find(asked)
      return best && best.fit >= leastFit && best.isAbout ? best.section : undefined
    }
  }
}

const isPolite = (word: string): boolean => greetings.has(word) || thanks.has(word)
