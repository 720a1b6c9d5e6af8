import { AnswerError } from './attempts.ts'
import type { AnswerPart } from './responder.ts'

const names = 'think|thinking|thought|reasoning'
const opening = new RegExp(`^<(${names})>`, 'i')
const anyTag = new RegExp(`<(/?)(?:${names})>`, 'i')
const longestTag = '</reasoning>'.length
const tags = names.split('|').flatMap(name => [`<${name}>`, `</${name}>`])

/**
 * Removes a model's reasoning from its reply. Models that think before they answer write it between tags, unless their server
 * separates it. Only a block at the beginning is reasoning: elsewhere the tags are text, for instance in an answer about such
 * models. Some servers leave the opening tag to the prompt: then the reply begins anew behind the closing one.
 */
export function createReasoningFilter() {
  /** Text that may still become a tag. */
  let held = ''
  /** The tag that ends the block; `undefined` outside of one. */
  let closing: RegExp | undefined
  let isAtStart = true
  let hasSeenTag = false

  function add(piece: string): AnswerPart[] {
    held += piece
    if (closing) {
      const end = closing.exec(held)
      held = held.slice(end ? end.index + end[0].length : -longestTag)
      if (!end) return []
      closing = undefined
    }
    if (isAtStart) {
      held = held.trimStart()
      const [tag, name] = opening.exec(held) ?? []
      if (tag !== undefined) {
        hasSeenTag = true
        closing = new RegExp(`</${name}>`, 'i')
        return [{ progress: { thinking: true } }, ...add('')]
      }
      if (held === '' || isBeginOfTag(held)) return []
      isAtStart = false
    }
    if (hasSeenTag) return take(held.length)
    const [tag, slash] = anyTag.exec(held) ?? []
    if (tag === undefined) {
      const last = held.lastIndexOf('<')
      return take(last >= 0 && isBeginOfTag(held.slice(last)) ? last : held.length)
    }
    hasSeenTag = true
    if (slash === '') return take(held.length)
    held = held.slice(held.indexOf(tag) + tag.length)
    isAtStart = true
    return [{ restart: true }, ...add('')]
  }

  function take(length: number): AnswerPart[] {
    const text = held.slice(0, length)
    held = held.slice(length)
    return text === '' ? [] : [{ text }]
  }

  return {
    /** Takes a piece of the reply. */
    add,
    /** Ends the reply. Throws if the model has not come to its answer. */
    end(): AnswerPart[] {
      if (closing) throw new AnswerError('The model stopped before it came to its answer')
      return take(held.length)
    },
  }
}

const isBeginOfTag = (text: string): boolean =>
  tags.some(tag => tag.length > text.length && tag.startsWith(text.toLowerCase()))
