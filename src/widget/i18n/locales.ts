import type { CountedText, PluralForms, Strings, Translation } from './en.ts'
import { findLocale } from './findLocale.ts'

/** Each locale is a separate chunk. A visitor loads at most one. */
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

/**
 * Loads the texts of the first available language. `tags` are BCP 47 tags, separated by commas. Returns no texts for
 * English, which the core contains.
 */
export async function textsIn(tags: string): Promise<Partial<Strings>> {
  const locale = findLocale(tags.split(','), localeFiles)
  const load = locale && localeFiles[locale.name]
  if (!load) return {}
  const { lang, dir } = locale
  const { texts } = await load()
  return {
    ...texts,
    lang,
    dir,
    chatUnread: createCountedText(texts.chatUnread, lang),
    charactersLeft: createCountedText(texts.charactersLeft, lang),
  }
}

/** Creates a function that selects the plural form for a number and formats the number. */
function createCountedText(forms: PluralForms, lang: string): CountedText {
  const rules = new Intl.PluralRules(lang)
  return count => {
    const form = typeof forms === 'string' ? forms : (forms[rules.select(count)] ?? forms.other)
    return form.replace('{count}', count.toLocaleString(lang))
  }
}
