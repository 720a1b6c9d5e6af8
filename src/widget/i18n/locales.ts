import type { CountedText, PluralForms, Strings, Translation } from './en.ts'

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

const rightToLeft = ['ar', 'fa', 'he', 'ur']

/** Languages that another locale is used for. `pt` is for Portuguese outside of Brazil. */
const fallbacks: Record<string, string> = { no: 'nb', nn: 'nb', pt: 'pt-PT', zh: 'zh-Hans' }

/**
 * Loads the texts of the first available language. `tags` are BCP 47 tags, separated by commas. Returns no texts for
 * English, which the core contains.
 */
export async function textsIn(tags: string): Promise<Partial<Strings>> {
  for (const tag of tags.split(',')) {
    const requested = parseTag(tag)
    if (!requested) continue
    const name = findLocale(requested)
    if (name === 'en') return {}
    const load = localeFiles[name]
    if (!load) continue
    const { language } = new Intl.Locale(name)
    const lang = visitorsVariant(requested.language === language ? requested.toString() : name)
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

/**
 * Parses a tag, also with an underscore such as `pt_BR`, which is common in pages. Returns `undefined` if it is invalid.
 */
function parseTag(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag.trim().replaceAll('_', '-'))
  } catch {
    return undefined
  }
}

/** Returns the name of the locale for a tag. There may be no file of that name. */
function findLocale(tag: Intl.Locale): string {
  // Adds what a tag leaves out: zh-TW implies traditional characters, and pt implies Brazil.
  const { language, script, region } = tag.maximize()
  const names = [`${language}-${script}`, `${language}-${region}`]
  return names.find(name => Object.hasOwn(localeFiles, name)) ?? fallbacks[language] ?? language
}

/** Creates a function that selects the plural form for a number and formats the number. */
function createCountedText(forms: PluralForms, lang: string): CountedText {
  const rules = new Intl.PluralRules(lang)
  return count => {
    const form = typeof forms === 'string' ? forms : (forms[rules.select(count)] ?? forms.other)
    return form.replace('{count}', count.toLocaleString(lang))
  }
}

/**
 * Returns the visitor's regional variant of a language from the browser's settings: `de-AT` for `de` or `de-DE` if the
 * visitor prefers Austrian German. It is used to format dates, times and numbers. `tag` must be a valid BCP 47 tag.
 */
function visitorsVariant(tag: string): string {
  const language = writtenLanguage(tag)
  return navigator.languages.find(own => writtenLanguage(own) === language) ?? tag
}

/** Returns language and script without the region. The script tells traditional Chinese from simplified Chinese. */
function writtenLanguage(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize()
  return `${language}-${script}`
}
