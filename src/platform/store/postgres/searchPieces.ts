import { fieldSeparator, type NormalizedText } from '../../search/searchNormalization.ts'

/**
 * Hashes of all short pieces of a contact's search texts. PostgreSQL indexes them (GIN), so that a search finds the
 * contacts that have all pieces of its term; it then compares them with the whole term. The bot is part of each hash, so
 * the cost of a search does not depend on other bots.
 *
 * Not `pg_trgm`: its trigrams end with each word, and any three digits occur in a tenth of all ids and phone numbers.
 * Among 10⁷ contacts of one bot it needs 0.1–0.5 s for a name, an email or a part of a phone number.
 */
export function toPieces(botId: string, { name, rest, digits }: NormalizedText): number[] {
  const [ofName, ofRest] = seedsOf(botId)
  const pieces = addNamePieces([], ofName, name)
  for (const field of `${rest}${fieldSeparator}${digits}`.split(fieldSeparator)) addRestPieces(pieces, ofRest, field)
  // A name that repeats one character can have thousands of equal pieces.
  return [...new Set(pieces)]
}

/** The pieces of each part of a search. An empty part has none. */
export interface TermPieces {
  name: number[]
  rest: number[]
  digits: number[]
}

/** The pieces that the index is asked for. `undefined` if a part is too short to have pieces. */
export function toTermPieces(
  botId: string,
  { text: { name, rest }, digits = '' }: { text: { name: string; rest: string }; digits?: string },
): TermPieces | undefined {
  const [ofName, ofRest] = seedsOf(botId)
  const parts = {
    name: addNamePieces([], ofName, name),
    rest: addRestPieces([], ofRest, rest),
    digits: addRestPieces([], ofRest, digits),
  }
  const isShort = (part: string, pieces: number[]) => part !== '' && pieces.length === 0
  if (isShort(name, parts.name) || isShort(rest, parts.rest) || isShort(digits, parts.digits)) return undefined
  return parts
}

/** Cuts a text into pieces of three characters. */
function addNamePieces(pieces: number[], seed: number, text: string): number[] {
  for (let end = 3; end <= text.length; end++) pieces.push(hashPiece(seed, text, end - 3, end))
  return pieces
}

/**
 * Cuts a text into pieces of three characters, and of four where those could belong to an id or a phone number: three such
 * characters occur in too many contacts.
 */
function addRestPieces(pieces: number[], seed: number, text: string): number[] {
  for (let start = 0; start + 3 <= text.length; start++) {
    const end = start + (isDense(text, start) ? 4 : 3)
    if (end <= text.length) pieces.push(hashPiece(seed, text, start, end))
  }
  return pieces
}

function isDense(text: string, start: number): boolean {
  for (let index = start; index < start + 3; index++) {
    const code = text.charCodeAt(index)
    const isDigit = code >= 0x30 && code <= 0x39
    const isHexLetter = code >= 0x61 && code <= 0x66
    if (!isDigit && !isHexLetter && code !== 0x2d) return false
  }
  return true
}

/** Hashes the pieces of names and of other fields differently, so that one does not match the other. */
function seedsOf(botId: string): [name: number, rest: number] {
  const seed = (kind: string) => hashPiece(0x811c9dc5, `${kind}${botId}`, 0, botId.length + 1)
  return [seed('n'), seed('r')]
}

/** FNV-1a with 32 bits. Two pieces with the same hash only cost a comparison. */
function hashPiece(seed: number, text: string, start: number, end: number): number {
  let hash = seed
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}
