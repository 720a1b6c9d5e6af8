import type { FoldedText } from '../../domain/fold.ts'

const separator = '\n'

/** A longer term is looked up by this much of it, and the contacts found are read. */
export const longestPhrase = 40

/**
 * The settings of the full-text table. SQLite's own trigram tokenizer knows no bots, and a search would cost what all
 * bots' contacts together cost; so tokens are made here, the bot's number in front, and only split there.
 */
export const tokenizer = `ascii tokenchars '${tokenCharacters()}'`

/** A folded text as the full-text table takes it: a token for each three characters in a row. */
export function toTokens(bot: number, text: string): string {
  const characters = [...text]
  const tokens = characters
    .slice(2)
    .map((third, index) => `${bot}x${characters[index]}${characters[index + 1]}${third}`)
  return tokens.join(separator)
}

/** The MATCH expression for a term of at least three characters, each part in its own column. */
export function toMatch(bot: number, parts: FoldedText): string {
  const phrases = Object.entries(parts).filter(([, part]) => part !== '')
  return phrases.map(([column, part]) => `${column} : "${toPhrase(bot, part)}"`).join(' OR ')
}

function toPhrase(bot: number, part: string): string {
  const start = [...part].slice(0, longestPhrase).join('')
  return toTokens(bot, start).replaceAll('"', '""')
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
