/** A text to look for: as it is, or a pattern for texts that a test doesn't know, such as tokens. */
export type SearchedText = string | RegExp

/** A text of the page, and where it was read. */
export interface PageText {
  place: Place
  /** The way to it within the place, from the outside to the inside. */
  path: string[]
  text: string
}

export type Place =
  | 'localStorage'
  | 'sessionStorage'
  | 'cookies'
  | 'IndexedDB'
  | 'Cache Storage'
  | 'address'
  | 'history.state'
  | 'window.name'
  | 'document'
  | 'memory'

/** Long texts are searched in slices of about so many characters or bytes: the whole may be longer than a string can be. */
export const sliceLength = 1_000_000
/** Each slice begins with so much of the one before, for what lies across the edge. */
export const sliceOverlap = 10_000

/** One text that was found. */
export interface Finding {
  /** The searched text, or what its pattern matches. */
  text: string
  place: Place
  /** The way to it within the place, from the outside to the inside. */
  path: string[]
  /** The text with what is around it, at most 40 characters on each side. */
  excerpt: string
}

/** Finds the first place of each searched text in a text of the page. */
export type Search = (text: PageText) => Finding[]

/** Throws a `TypeError` if there is nothing to look for. */
export function createSearch(texts: readonly SearchedText[]): Search {
  if (texts.length === 0) throw new TypeError('`texts` is empty: name what belongs to the person who has signed out.')
  if (texts.some(text => typeof text === 'string' && text.trim() === ''))
    throw new TypeError('`texts` contains an empty text, which is found everywhere.')
  const finders = texts.map(text => (typeof text === 'string' ? createTextFinder(text) : createPatternFinder(text)))
  return ({ place, path, text }) => {
    const searched = withSingleSpaces(text)
    return finders.flatMap(find => {
      const match = find(searched)
      return match ? [{ text: match.text, place, path, excerpt: excerptOf(searched, match) }] : []
    })
  }
}

interface Match {
  text: string
  start: number
  end: number
}
type Finder = (searched: string) => Match | undefined

/**
 * Cookies and addresses are percent-encoded, and much is stored as JSON. Who encodes decides which characters: an address
 * has `,` as it is and `'` as `%27`, and JSON of PHP or Python has letters beyond ASCII as `\u00eb`.
 */
function createTextFinder(text: string): Finder {
  const plain = withSingleSpaces(text)
  const encoded = new RegExp([...text].map(patternOf).join(''))
  return searched => {
    const start = searched.indexOf(plain)
    if (start >= 0) return { text, start, end: start + plain.length }
    // Most texts contain nothing that is encoded, and this check is faster.
    const match = /[%+\\]/.test(searched) ? encoded.exec(searched) : null
    return match ? { text, start: match.index, end: match.index + match[0].length } : undefined
  }
}

/** A pattern of all spellings of a character. */
function patternOf(char: string): string {
  const bytes = [...new TextEncoder().encode(char)].map(byte => `%${hexPattern(byte, 2)}`).join('')
  const units = char.split('').map(unit => `\\\\u${hexPattern(unit.charCodeAt(0), 4)}`)
  const json = JSON.stringify(char).slice(1, -1)
  const literal = [withSingleSpaces(char), json, ...(char === '/' ? ['\\/'] : []), ...(char === ' ' ? ['+'] : [])]
  return `(?:${[...literal.map(escapePattern), bytes, units.join('')].join('|')})`
}

const hexPattern = (code: number, length: number): string =>
  code
    .toString(16)
    .padStart(length, '0')
    .replace(/[a-f]/g, digit => `[${digit}${digit.toUpperCase()}]`)

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

function createPatternFinder(pattern: RegExp): Finder {
  // A pattern with the flag g or y would continue where it has stopped in the text before.
  const stateless = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))
  return searched => {
    const match = stateless.exec(searched)
    return match?.[0] ? { text: match[0], start: match.index, end: match.index + match[0].length } : undefined
  }
}

const withSingleSpaces = (text: string) => text.replace(/\s+/g, ' ')

const excerptLength = 40

function excerptOf(searched: string, { start, end }: Match): string {
  const from = Math.max(0, start - excerptLength)
  const to = Math.min(searched.length, end + excerptLength)
  return `${from > 0 ? '…' : ''}${searched.slice(from, to)}${to < searched.length ? '…' : ''}`
}
