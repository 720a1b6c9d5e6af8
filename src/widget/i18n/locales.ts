import type { CountedText, PluralForms, Strings, Translation } from './en.ts'
import { visitorsVariant } from './visitorsVariant.ts'

/** Each is a file of its own: a visitor loads one of them at most. */
export const localeFiles: Record<string, () => Promise<{ texts: Translation }>> = {
  ar: () => import('./locales/ar.ts'),
  cs: () => import('./locales/cs.ts'),
  de: () => import('./locales/de.ts'),
  es: () => import('./locales/es.ts'),
  fa: () => import('./locales/fa.ts'),
  fr: () => import('./locales/fr.ts'),
  he: () => import('./locales/he.ts'),
  hi: () => import('./locales/hi.ts'),
  id: () => import('./locales/id.ts'),
  it: () => import('./locales/it.ts'),
  ja: () => import('./locales/ja.ts'),
  ko: () => import('./locales/ko.ts'),
  nb: () => import('./locales/nb.ts'),
  nl: () => import('./locales/nl.ts'),
  pl: () => import('./locales/pl.ts'),
  'pt-BR': () => import('./locales/pt-BR.ts'),
  'pt-PT': () => import('./locales/pt-PT.ts'),
  ru: () => import('./locales/ru.ts'),
  tr: () => import('./locales/tr.ts'),
  uk: () => import('./locales/uk.ts'),
  ur: () => import('./locales/ur.ts'),
  vi: () => import('./locales/vi.ts'),
  'zh-Hans': () => import('./locales/zh-Hans.ts'),
  'zh-Hant': () => import('./locales/zh-Hant.ts'),
}

const rightToLeft = ['ar', 'fa', 'he', 'ur']

/** Languages that another one is read for; of Portuguese the European, except in Brazil. */
const readAs: Record<string, string> = { no: 'nb', nn: 'nb', pt: 'pt-PT', zh: 'zh-Hans' }

/** The texts in the first of the languages, BCP 47 tags with commas between, that there is; none for English. */
export async function textsIn(tags: string): Promise<Partial<Strings>> {
  for (const tag of tags.split(',')) {
    const asked = parse(tag)
    const name = asked && serving(asked)
    const load = name && localeFiles[name]
    if (!asked || (!load && name !== 'en')) continue
    if (!load) return {}
    const { language } = new Intl.Locale(name)
    const lang = visitorsVariant(asked.language === language ? asked.toString() : name)
    const { texts } = await load()
    return {
      ...texts,
      lang,
      dir: rightToLeft.includes(language) ? 'rtl' : 'ltr',
      chatUnread: createCountedText(texts.chatUnread, lang),
      charactersLeft: createCountedText(texts.charactersLeft, lang),
    }
  }
  return {}
}

/** A tag as it stands in pages, where `pt_BR` is not rare; `undefined` for what is none. */
function parse(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag.trim().replaceAll('_', '-'))
  } catch {
    return undefined
  }
}

/** The one of our languages that serves who asks for `tag`. */
function serving(tag: Intl.Locale): string {
  // Says what a tag leaves out: zh-TW is in traditional characters, and pt is the Portuguese of Brazil.
  const { language, script, region } = tag.maximize()
  const names = [`${language}-${script}`, `${language}-${region}`]
  return names.find(name => Object.hasOwn(localeFiles, name)) ?? readAs[language] ?? language
}

/** Picks the form that goes with a number, and writes the number as the language does. */
function createCountedText(forms: PluralForms, lang: string): CountedText {
  const rules = new Intl.PluralRules(lang)
  return count => {
    const form = typeof forms === 'string' ? forms : (forms[rules.select(count)] ?? forms.other)
    return form.replace('{count}', count.toLocaleString(lang))
  }
}
