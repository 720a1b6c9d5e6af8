/** A translation, and the variant of its language that the reader uses. */
export interface Locale {
  /** The name of its file; `en` for English. */
  name: string
  /** A BCP 47 tag, to format dates, times and numbers. */
  lang: string
  dir: 'ltr' | 'rtl'
}

const rightToLeft = ['ar', 'fa', 'he', 'ur']

/** Languages that another locale is used for. `pt` is for Portuguese outside of Brazil. */
const fallbacks: Record<string, string> = { no: 'nb', nn: 'nb', pt: 'pt-PT', zh: 'zh-Hans' }

/** Returns the locale of the first of these BCP 47 tags for which there is a file, or which is English. */
export function findLocale(tags: readonly string[], files: Record<string, unknown>): Locale | undefined {
  for (const tag of tags) {
    const requested = parseTag(tag)
    if (!requested) continue
    const name = nameOf(requested, files)
    if (name !== 'en' && !Object.hasOwn(files, name)) continue
    const { language } = new Intl.Locale(name)
    return {
      name,
      lang: readersVariant(requested.language === language ? requested.toString() : name),
      dir: rightToLeft.includes(language) ? 'rtl' : 'ltr',
    }
  }
  return undefined
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
function nameOf(tag: Intl.Locale, files: Record<string, unknown>): string {
  // Adds what a tag leaves out: zh-TW implies traditional characters, and pt implies Brazil.
  const { language, script, region } = tag.maximize()
  const names = [`${language}-${script}`, `${language}-${region}`]
  return names.find(name => Object.hasOwn(files, name)) ?? fallbacks[language] ?? language
}

/**
 * Returns the reader's regional variant of a language from the browser's settings: `de-AT` for `de` or `de-DE` if the
 * reader prefers Austrian German. `tag` must be a valid BCP 47 tag.
 */
function readersVariant(tag: string): string {
  const language = writtenLanguage(tag)
  return navigator.languages.find(own => writtenLanguage(own) === language) ?? tag
}

/** Returns language and script without the region. The script tells traditional Chinese from simplified Chinese. */
function writtenLanguage(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize()
  return `${language}-${script}`
}
