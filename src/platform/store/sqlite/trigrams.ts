const separator = '\n'

/** Of a long term this many trigrams are looked up; the contacts they name are compared with the whole of it. */
const maxLookedUp = 12

/**
 * The settings of the full-text table. SQLite's own trigram tokenizer knows no bots, and a search would cost what all
 * bots' contacts together cost; so tokens are made here, the bot's number in front, and only split there. It tells which
 * contacts hold a trigram and not where: that takes a third of the room, and what it finds is read anyway.
 */
export const fullTextOptions = `content = '', detail = none,
  tokenize = "ascii tokenchars '${tokenCharacters()}'"`

/**
 * Folded texts as the full-text table takes them: a token for each three characters in a row, none twice, and none that
 * stands in `others`.
 */
export function toTokens(bot: number, texts: string[], others: string[] = []): string {
  const theirs = new Set(others.flatMap(toTrigrams))
  const trigrams = new Set(texts.flatMap(toTrigrams).filter(trigram => !theirs.has(trigram)))
  return [...trigrams].map(trigram => toToken(bot, trigram)).join(separator)
}

/**
 * The MATCH expression for terms of at least three characters, any of which may be held. What holds one is found; not
 * all that is found holds one.
 */
export function toMatch(bot: number, terms: string[]): string {
  const anyOf = new Set(terms.filter(term => term !== '').map(term => toLookups(bot, term)))
  return [...anyOf].map(allOf => `(${allOf})`).join(' OR ')
}

function toLookups(bot: number, term: string): string {
  const trigrams = spread([...new Set(toTrigrams(term))])
  return trigrams.map(trigram => `"${toToken(bot, trigram).replaceAll('"', '""')}"`).join(' AND ')
}

/** Some from all over, the last one first: ids and phone numbers begin alike. */
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

/** All of ASCII but NUL and the separator, quoted for a single-quoted string in a double-quoted one. */
function tokenCharacters(): string {
  const all = Array.from({ length: 127 }, (_, index) => String.fromCharCode(index + 1))
  return all
    .filter(character => character !== separator)
    .join('')
    .replaceAll("'", "''")
    .replaceAll('"', '""')
}
