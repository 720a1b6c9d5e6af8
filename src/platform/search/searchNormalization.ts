import type { Contact } from '../../contract/contacts.ts'
import { plainPhone } from '../../contract/phone.ts'

/** Separates the fields of a stored search text. No field and no query contains it. */
const fieldSeparator = '\u001f'

/** Lower-case letters without a decomposition, and the final sigma. */
const letters: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i', ς: 'σ' }

/** The fields that are searched: all fields of a contact except the timestamps. */
export type SearchedFields = Omit<Contact, 'createdAt' | 'updatedAt'>

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
  return foldSigns(bare)
    .toLowerCase()
    .replace(/[łøđßæœıς]/g, letter => letters[letter] ?? letter)
}

/** Normalizes any other field: removes only the case of ASCII letters, and the kinds of apostrophes and hyphens. */
export function normalizeRest(text: string): string {
  return foldSigns(text.toWellFormed()).replace(/[A-Z]/g, letter => letter.toLowerCase())
}

/** The search text that a store keeps with a contact. */
export function normalizeContact({ id, name, email, phone, mid, wid }: SearchedFields): NormalizedText {
  return {
    name: normalizeName(name),
    rest: [id, email, phone, mid, wid].map(normalizeRest).join(fieldSeparator),
    digits: [phone, wid].map(onlyDigits).join(fieldSeparator),
  }
}

/** One word of a query, normalized like the stored text. `digits` only if it looks like a part of a phone number. */
export interface NormalizedWord {
  name: string
  rest: string
  digits?: string
}

/**
 * Splits a query at white space and normalizes its words. The longest one comes first, because it finds the fewest contacts. A
 * phone number is one word.
 */
export function normalizeQuery(query: string): { words: NormalizedWord[] } {
  const phone = plainPhone(query)
  const words = isPhone(phone)
    ? [phone]
    : [...new Set(query.split(/\s+/u))].filter(Boolean).sort((a, b) => b.length - a.length)
  return { words: words.map(normalizeWord) }
}

function normalizeWord(word: string): NormalizedWord {
  const text = { name: normalizeName(word), rest: normalizeRest(word) }
  return isPhone(word) ? { ...text, digits: onlyDigits(word) } : text
}

/** Whether the indexes, which are of trigrams, can look a normalized word up. */
export const hasTrigram = (word: string): boolean => [...word].length >= 3

const isPhone = (text: string): boolean => /^[\d +()./x#-]+$/.test(text) && onlyDigits(text).length >= 3

/** People type other apostrophes and hyphens than programs store. */
const foldSigns = (text: string): string =>
  text.replace(/[\u0060\u02b9\u02bb\u02bc\u2018\u2019\u201b\u2032]/g, "'").replace(/[\u2010-\u2015\u2212]/g, '-')

function withoutMarks(text: string): string {
  return text.replace(/\p{M}+/gu, '')
}

function onlyDigits(text: string): string {
  return text.replace(/[^0-9]+/g, '')
}
