/**
 * The visitor's own variant of a language, by the browser's settings: `en-GB` for `en` or `en-US` where the visitor has
 * chosen British English. Dates, times and numbers are written as that variant does. `tag` is a valid BCP 47 tag.
 */
export function visitorsVariant(tag: string): string {
  const spoken = writtenLanguage(tag)
  return navigator.languages.find(own => writtenLanguage(own) === spoken) ?? tag
}

/** Language and script, without a region: Chinese in traditional characters is not Chinese in simplified ones. */
function writtenLanguage(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize()
  return `${language}-${script}`
}
