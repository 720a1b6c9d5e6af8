/** Separates the fields of a stored search text. No field and no query contains it. */
export const fieldSeparator = '\u001f'

/** Lower-case letters without a decomposition, and the final sigma. */
const letters: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i', ς: 'σ' }

/** The fields that are searched: all attributes of a contact except the timestamps. */
export interface SearchedFields {
  id: string
  name: string
  email: string
  phone: string
  mid: string
  wid: string
}

/** The normalized text of a contact or a query, in the three forms that are compared. */
export interface NormalizedText {
  name: string
  rest: string
  digits: string
}

/**
 * Normalizes a name: removes accents and case. Works character by character, so that a part of a name becomes a part of
 * the normalized name. Linear in its length.
 */
export function normalizeName(text: string): string {
  // Remove marks before normalizing, too: NFKD sorts a run of marks in quadratic time.
  const bare = withoutMarks(withoutMarks(text.toWellFormed()).normalize('NFKD'))
  return bare.toLowerCase().replace(/[łøđßæœıς]/g, letter => letters[letter] ?? letter)
}

/** Normalizes any other field: removes only the case of ASCII letters. */
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

/** Normalizes a query like the stored text. `digits` only if it looks like a part of a phone number. */
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
