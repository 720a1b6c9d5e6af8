import * as v from 'valibot'
import { fieldMessage } from './validation.ts'

const maxLocaleLength = 35

/** A language as a BCP 47 tag, in its canonical form. */
export const localeSchema = v.pipe(
  v.string(),
  v.check(isLanguageTag, fieldMessage('invalid_format', 'Must be a language tag such as en or nb-NO.')),
  v.metadata({ description: 'A language as a BCP 47 tag.', maxLength: maxLocaleLength, examples: ['de-AT'] }),
  v.transform(tag => Intl.getCanonicalLocales(tag)[0] ?? tag),
)

function isLanguageTag(tag: string): boolean {
  try {
    return tag.length <= maxLocaleLength && Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
