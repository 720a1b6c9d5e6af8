import type { Excerpt } from '../../contract/desk.ts'
import { normalizeName } from './searchNormalization.ts'

/** How many characters stand before the word at most, and after it: a row of the desk begins with it. */
const around = { before: 12, after: 100 }

/** The line of these texts in which one of the words stands, which are normalized as names; `null` if there is none. */
export function excerptOf(texts: string[], words: string[]): Excerpt | null {
  const lines = texts.flatMap(text => text.split('\n'))
  for (const word of words)
    for (const line of lines) {
      const at = normalizeName(line).indexOf(word)
      if (at >= 0) return cut(line, at, at + word.length)
    }
  return null
}

/** Cuts a line at the characters from which the normalized ones come. One character can become none or several. */
function cut(line: string, start: number, end: number): Excerpt {
  const characters = [...line]
  let length = 0
  const ends = characters.map(character => {
    length += normalizeName(character).length
    return length
  })
  const from = ends.findIndex(each => each > start)
  const to = ends.findIndex(each => each >= end) + 1
  const first = Math.max(0, from - around.before)
  const last = to + around.after
  const text = (a: number, b: number) => characters.slice(a, b).join('')
  return {
    before: `${first > 0 ? '…' : ''}${text(first, from)}`,
    match: text(from, to),
    after: `${text(to, last)}${last < characters.length ? '…' : ''}`,
  }
}
