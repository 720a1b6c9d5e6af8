import type { Excerpt } from '../../contract/desk.ts'
import { normalizeName } from './searchNormalization.ts'

/** How many characters stand before the word at most, and after it: a row of the desk begins with it. */
const around = { before: 12, after: 100 }

/** The line of these texts in which one of the words stands, which are normalized as names; `null` if there is none. */
export function excerptOf(texts: string[], words: string[]): Excerpt | null {
  const lines = texts.flatMap(text => text.split('\n'))
  const normalized = normalizeName(lines.join('\n')).split('\n')
  for (const word of words)
    for (const [index, line] of lines.entries()) {
      const at = normalized[index]?.indexOf(word) ?? -1
      if (at >= 0) return cut(line, at, at + word.length)
    }
  return null
}

/** Cuts a line at the characters from which the normalized ones come. */
function cut(line: string, start: number, end: number): Excerpt {
  const characters = [...line]
  const from = originOf(characters, start)
  const to = originOf(characters, end - 1) + 1
  const first = Math.max(0, from - around.before)
  const last = to + around.after
  const text = (a: number, b: number) => characters.slice(a, b).join('')
  return {
    before: `${first > 0 ? '…' : ''}${text(first, from)}`,
    match: text(from, to),
    after: `${text(to, last)}${last < characters.length ? '…' : ''}`,
  }
}

/** Finds the character from which a normalized one comes. Each step normalizes half of the rest: one by one takes far longer. */
function originOf(characters: string[], normalizedIndex: number): number {
  let [from, to, left] = [0, characters.length, normalizedIndex]
  while (to - from > 1) {
    const middle = (from + to) >> 1
    // One character can become none or several.
    const { length } = normalizeName(characters.slice(from, middle).join(''))
    if (length > left) to = middle
    else {
      from = middle
      left -= length
    }
  }
  return from
}
