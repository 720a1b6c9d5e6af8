import { type BotTexts, english, type TextReplacements } from './english.ts'
import { texts as ar } from './locales/ar.ts'
import { texts as cs } from './locales/cs.ts'
import { texts as de } from './locales/de.ts'
import { texts as es } from './locales/es.ts'
import { texts as fa } from './locales/fa.ts'
import { texts as fr } from './locales/fr.ts'
import { texts as he } from './locales/he.ts'
import { texts as hi } from './locales/hi.ts'
import { texts as id } from './locales/id.ts'
import { texts as it } from './locales/it.ts'
import { texts as ja } from './locales/ja.ts'
import { texts as ko } from './locales/ko.ts'
import { texts as nb } from './locales/nb.ts'
import { texts as nl } from './locales/nl.ts'
import { texts as pl } from './locales/pl.ts'
import { texts as ptBR } from './locales/pt-BR.ts'
import { texts as ptPT } from './locales/pt-PT.ts'
import { texts as ru } from './locales/ru.ts'
import { texts as tr } from './locales/tr.ts'
import { texts as uk } from './locales/uk.ts'
import { texts as ur } from './locales/ur.ts'
import { texts as vi } from './locales/vi.ts'
import { texts as zhHans } from './locales/zh-Hans.ts'
import { texts as zhHant } from './locales/zh-Hant.ts'

/** By the names of the widget's locales. */
export const translations: Record<string, BotTexts> = {
  ar,
  cs,
  de,
  es,
  fa,
  fr,
  he,
  hi,
  id,
  it,
  ja,
  ko,
  nb,
  nl,
  pl,
  'pt-BR': ptBR,
  'pt-PT': ptPT,
  ru,
  tr,
  uk,
  ur,
  vi,
  'zh-Hans': zhHans,
  'zh-Hant': zhHant,
}

/** Languages that another locale is used for. `pt` is for Portuguese outside of Brazil. */
const fallbacks: Record<string, string> = { no: 'nb', nn: 'nb', pt: 'pt-PT', zh: 'zh-Hans' }

/** Returns the texts in a bot's language, a BCP 47 tag or `''`. They are English if there is no translation. */
export function botTextsIn(tag: string): BotTexts {
  if (tag === '') return english
  // Adds what a tag leaves out: zh-TW implies traditional characters, and pt implies Brazil.
  const { language, script, region } = new Intl.Locale(tag).maximize()
  const names = [`${language}-${script}`, `${language}-${region}`, fallbacks[language] ?? language]
  const name = names.find(name => Object.hasOwn(translations, name))
  return (name !== undefined && translations[name]) || english
}

/** What a bot says by itself: in its language, or as its settings replace it. */
export const botTextsOf = ({ locale, texts }: { locale: string; texts: TextReplacements }): BotTexts => ({
  ...botTextsIn(locale),
  ...texts,
})

const inAnyLanguage = (key: keyof BotTexts): ReadonlySet<string> =>
  new Set([english, ...Object.values(translations)].map(texts => texts[key].toLowerCase()))
const retryWords = inAnyLanguage('retry')
const personWords = inAnyLanguage('person')

/** Whether a visitor repeats the question by the quick reply. The language of the bot may have changed meanwhile. */
export const isRetry = (text: string, { retry }: TextReplacements): boolean =>
  retryWords.has(text.toLowerCase()) || text.toLowerCase() === retry?.toLowerCase()

/** Whether a visitor asks for a person by the quick reply, or in the same words. */
export const isPersonRequest = (text: string, { person }: TextReplacements): boolean => {
  const words = text.trim().toLowerCase()
  return personWords.has(words) || words === person?.toLowerCase()
}
