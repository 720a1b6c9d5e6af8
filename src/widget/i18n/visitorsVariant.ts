/**
 * Returns the visitor's regional variant of a language from the browser's settings: `en-GB` for `en` or `en-US` if the
 * visitor prefers British English. It is used to format dates, times and numbers. `tag` must be a valid BCP 47 tag.
 */
export function visitorsVariant(tag: string): string {
  const language = writtenLanguage(tag)
  return navigator.languages.find(own => writtenLanguage(own) === language) ?? tag
}

/** Returns language and script without the region. The script tells traditional Chinese from simplified Chinese. */
function writtenLanguage(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize()
  return `${language}-${script}`
}
