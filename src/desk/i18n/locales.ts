import { findLocale } from '../../widget/i18n/findLocale.ts'
import { en, type Strings, type Translation } from './locales/en.ts'

/** Each locale is a separate chunk. A member loads at most one. */
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

/** Loads the texts in the first available of these languages, BCP 47 tags, or in English. */
export async function loadStrings(languages: readonly string[]): Promise<Strings> {
  const locale = findLocale(languages, localeFiles)
  if (!locale) return en
  const { name, lang, dir } = locale
  try {
    const file = await localeFiles[name]?.()
    return { ...en, ...file?.texts, lang, dir }
  } catch {
    // English is better than no desk.
    return en
  }
}
