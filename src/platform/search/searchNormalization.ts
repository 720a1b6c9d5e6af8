/** What stands between the fields of a stored search text; no field and no query holds it. */
export const fieldSeparator = '\u001f'

/** Lower-case letters that have no decomposition, and the final sigma, which only the end of a word makes. */
const letters: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i', ς: 'σ' }

/** The fields that a search looks into (Spec 4.2: any attribute except the timestamps). */
export interface SearchedFields {
  id: string
  name: string
  email: string
  phone: string
  mid: string
  wid: string
}

/** A contact's search text, and a query's, in the three ways in which they are compared. */
export interface NormalizedText {
  name: string
  rest: string
  digits: string
}

/**
 * Folds a name: accents and case do not count. Character by character, so that a part of a name folds to a part of
 * the normalized name; linear in its length.
 */
export function normalizeName(text: string): string {
  // Marks go first too: to sort a long run of them, as normalizing must, takes time that grows with its square.
  const bare = withoutMarks(withoutMarks(text.toWellFormed()).normalize('NFKD'))
  return bare.toLowerCase().replace(/[łøđßæœıς]/g, letter => letters[letter] ?? letter)
}

/** Folds any other field: the case of ASCII letters does not count, and nothing else is alike. */
export function normalizeRest(text: string): string {
  return text.toWellFormed().replace(/[A-Z]/g, letter => letter.toLowerCase())
}

/** The search text that a store keeps with a contact. */
export function normalizeContact({ id, name, email, phone, mid, wid }: SearchedFields): NormalizedText {
  return {
    name: normalizeName(name),
    rest: [id, email, phone, mid, wid].map(normalizeRest).join(fieldSeparator),
    digits: [phone, wid].map(onlyDigits).join(fieldSeparator),
  }
}

/** A query normalized as the stored text is; `digits` only where it looks like a part of a phone number. */
export function normalizeQuery(query: string): { text: { name: string; rest: string }; digits?: string } {
  const text = { name: normalizeName(query), rest: normalizeRest(query) }
  const digits = onlyDigits(query)
  return digits.length >= 3 && /^[\d +()./x#-]+$/.test(query) ? { text, digits } : { text }
}

function withoutMarks(text: string): string {
  return text.replace(/\p{M}+/gu, '')
}

function onlyDigits(text: string): string {
  return text.replace(/[^0-9]+/g, '')
}
