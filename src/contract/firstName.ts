/** Languages whose names begin with the family name. */
const familyNameFirst = new Set(['hu', 'ja', 'ko', 'vi', 'zh'])
/** In other scripts, the first word of a name is often only a part of the first name (عبد الله), or the family name. */
const oneWordScripts = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}'’-]+$/u

/**
 * Returns the name by which to greet a contact in the language `locale`, a BCP 47 tag: the first word of its name. It
 * is the whole name if the first word is unlikely to be a first name: in languages that begin with the family name, and
 * for titles and initials ("Dr. Ada Lovelace", "Lovelace, Ada").
 */
export function firstName(name: string, locale: string): string {
  const [first = ''] = name.trim().split(/\s+/)
  const [language = ''] = locale.toLowerCase().split('-')
  return oneWordScripts.test(first) && !familyNameFirst.has(language) ? first : name
}
