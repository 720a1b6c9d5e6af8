/** Languages whose names begin with the family name. */
const familyNameFirst = new Set(['hu', 'ja', 'ko', 'vi', 'zh'])
/**
 * A word in a script whose names have a first name of one word. In others, the first word is often only a part of it
 * (عبد الله), or the family name.
 */
const wholeFirstName = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}'’-]+$/u

/**
 * Returns the name by which to greet a contact in the language `locale`, a BCP 47 tag: the first word of its name. It
 * is the whole name if the first word is unlikely to be a first name: in languages that begin with the family name, and
 * for titles and initials ("Dr. Ada Lovelace", "Lovelace, Ada").
 */
export function firstName(name: string, locale: string): string {
  const [first = ''] = name.trim().split(/\s+/)
  const [language = ''] = locale.toLowerCase().split('-')
  return wholeFirstName.test(first) && !familyNameFirst.has(language) ? first : name
}
