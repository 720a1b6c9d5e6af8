const separator = '\n'

/** The most trigrams to look up for one term. The contacts found are then compared with the whole term. */
const maxLookedUp = 12

/**
 * The settings of the full-text table. With SQLite's trigram tokenizer a search would cost as much as the contacts of
 * all bots together. So this code makes the tokens, each prefixed with the bot's number, and SQLite only splits them.
 * The table stores no positions, which saves two thirds of the space; results are compared with the term anyway.
 */
export const fullTextOptions = `content = '', detail = none,
  tokenize = "ascii tokenchars '${tokenCharacters()}'"`

/**
 * The tokens of normalized texts for the full-text table: one per distinct trigram, except those that occur in
 * `others`.
 */
export function toTokens(bot: number, texts: string[], others: string[] = []): string {
  const theirs = new Set(others.flatMap(toTrigrams))
  const trigrams = new Set(texts.flatMap(toTrigrams).filter(trigram => !theirs.has(trigram)))
  return [...trigrams].map(trigram => toToken(bot, trigram)).join(separator)
}

/**
 * The MATCH expression for contacts that may contain one of these terms of at least three characters. It finds every
 * contact that contains a term, and some that do not.
 */
export function toMatch(bot: number, terms: string[]): string {
  const anyOf = new Set(terms.filter(term => term !== '').map(term => toLookups(bot, term)))
  return [...anyOf].map(allOf => `(${allOf})`).join(' OR ')
}

function toLookups(bot: number, term: string): string {
  const trigrams = spread([...new Set(toTrigrams(term))])
  return trigrams.map(trigram => `"${toToken(bot, trigram).replaceAll('"', '""')}"`).join(' AND ')
}

/** Picks trigrams from the whole term, the last one first: ids and phone numbers often begin alike. */
function spread(trigrams: string[]): string[] {
  const count = Math.min(trigrams.length, maxLookedUp)
  const apart = trigrams.length / count
  return Array.from({ length: count }, (_, index) => trigrams[Math.ceil(trigrams.length - index * apart) - 1] ?? '')
}

function toTrigrams(text: string): string[] {
  const characters = [...text]
  return characters.slice(2).map((third, index) => `${characters[index]}${characters[index + 1]}${third}`)
}

function toToken(bot: number, trigram: string): string {
  return `${bot}x${trigram}`
}

/** All ASCII characters except NUL and the separator, escaped for a single-quoted string in a double-quoted one. */
function tokenCharacters(): string {
  const all = Array.from({ length: 127 }, (_, index) => String.fromCharCode(index + 1))
  return all
    .filter(character => character !== separator)
    .join('')
    .replaceAll("'", "''")
    .replaceAll('"', '""')
}
