import type { FaqSection } from './faqSections.ts'
import { createSectionSearch, isIgnored, maxWords, wordsOf } from './sectionSearch.ts'

/** What is found for a message. `words` are those that were searched for. */
export type FaqMatch =
  | { kind: 'answer'; section: FaqSection }
  | { kind: 'thanks' }
  | { kind: 'greeting' }
  | { kind: 'none'; words: string[] }

/** Finds the section that answers a message. */
export type FaqFinder = (asked: string) => FaqMatch

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
  const search = createSectionSearch(sections)
  // Headings may consist of ignored words only ("Where are you?"). Of equal headings, the first counts.
  const byHeading = new Map(sections.toReversed().map(section => [wordsOf(section.heading).join(' '), section]))
  return asked => {
    const said = wordsOf(asked)
    const words = said.filter(word => !isIgnored(word) && !greetings.has(word) && !thanks.has(word))
    // More words are a question beside the thanks.
    const isThanks = words.length < 3 && said.some(word => thanks.has(word))
    const section = (said.length > 0 && byHeading.get(said.join(' '))) || findBest(words)
    if (section) return { kind: 'answer', section }
    if (isThanks) return { kind: 'thanks' }
    // Nothing that content could answer was said, as in "How are you?" or 👋.
    return words.length === 0 ? { kind: 'greeting' } : { kind: 'none', words }
  }

  function findBest(words: string[]): FaqSection | undefined {
    const [best] = search(words)
    // Ignore results with too few words in common.
    return best && best.words * 3 >= new Set(words.slice(0, maxWords)).size ? best.section : undefined
  }
}
