import { type EmailTexts, englishEmails } from './emailTexts.ts'
import { type BotTexts, english, type TextReplacements } from './english.ts'
import * as locales from './locales/all.ts'

/** By the names of the widget's locales. */
export const translations: Record<string, { texts: BotTexts; emails: EmailTexts }> = locales

/** Languages that another locale is used for. `pt` is for Portuguese outside of Brazil. */
const fallbacks: Record<string, string> = { no: 'nb', nn: 'nb', pt: 'pt-PT', zh: 'zh-Hans' }

/** Returns the name of the translation for a language, a BCP 47 tag or `''`; `en` if there is none. */
function findLocale(tag: string): string {
  if (tag === '') return 'en'
  // Adds what a tag leaves out: zh-TW implies traditional characters, and pt implies Brazil.
  const { language, script, region } = new Intl.Locale(tag).maximize()
  const names = [`${language}-${script}`, `${language}-${region}`, fallbacks[language] ?? language]
  return names.find(name => Object.hasOwn(translations, name)) ?? 'en'
}

/** Returns the texts in a bot's language, a BCP 47 tag or `''`. They are English if there is no translation. */
export const botTextsIn = (tag: string): BotTexts => translations[findLocale(tag)]?.texts ?? english

/** Returns the texts of emails in a language, and the language that they really have. */
export function emailTextsIn(tag: string): { locale: string; texts: EmailTexts } {
  const locale = findLocale(tag)
  return { locale, texts: translations[locale]?.emails ?? englishEmails }
}

const rightToLeft = ['ar', 'fa', 'he', 'ur']

/** The direction in which a language is written, one of the translations. */
export const directionOf = (locale: string): 'ltr' | 'rtl' => (rightToLeft.includes(locale) ? 'rtl' : 'ltr')

/** What a bot says by itself: in its language, or as its settings replace it. */
export const botTextsOf = ({ locale, texts }: { locale: string; texts: TextReplacements }): BotTexts => ({
  ...botTextsIn(locale),
  ...texts,
})

const inAnyLanguage = (key: keyof BotTexts): ReadonlySet<string> =>
  new Set([english, ...Object.values(translations).map(({ texts }) => texts)].map(texts => texts[key].toLowerCase()))
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
