import type { Section } from './contentSections.ts'
import type { AnswerPart } from './responder.ts'

/** A citation such as `[2]`, with the space before it. Before a parenthesis it is the text of a link. */
const citation = / ?\[(\d{1,2})\](?!\()/g
/** The end of a text that may still become a citation. */
const unfinished = / ?(?:\[\d{0,2}\]?)?$/

/**
 * Reads the sections that a model cites by their numbers in the prompt. Those with an address become the sources of the
 * answer, numbered as the visitor sees them: in the order in which they are cited. Numbers of the others are removed.
 */
export function createCitations(sections: readonly Section[]) {
  /** Text that may still become a citation. */
  let held = ''
  let cited: Section[] = []

  function renumber(whole: string, number: string): string {
    const section = sections[Number(number) - 1]
    if (!section) return whole
    if (section.url === undefined) return ''
    if (!cited.includes(section)) cited.push(section)
    return whole.replace(number, String(cited.indexOf(section) + 1))
  }

  function take(length: number): AnswerPart[] {
    const text = held.slice(0, length).replace(citation, renumber)
    held = held.slice(length)
    return text === '' ? [] : [{ text }]
  }

  return {
    /** Takes a piece of the reply. */
    add(piece: string): AnswerPart[] {
      held += piece
      return take(unfinished.exec(held)?.index ?? held.length)
    },
    /** Forgets the text so far. */
    restart(): void {
      held = ''
      cited = []
    },
    /** Ends the reply. Returns the text that was still held, and the sources. */
    end() {
      const rest = take(held.length)
      return { rest, sources: cited.map(({ heading, url }) => ({ title: heading, url })) }
    },
  }
}
