import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCursor, readCursor } from './cursor.ts'
import type { ProblemError } from './problem.ts'

const isPair = (parts: string[]): parts is [string, string] => parts.length === 2

/** What the problem says about `after`. */
function adviceOf(list: string[], cursor: string): string | undefined {
  try {
    readCursor(list, cursor, isPair)
    return undefined
  } catch (error) {
    const [field] = (error as ProblemError).details.errors ?? []
    expect(field).toMatchObject({ pointer: '/after', code: 'invalid_format' })
    return field?.detail
  }
}

describe('a cursor', () => {
  it('holds its place, in characters that need no encoding', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.string(), fc.string(), (list, one, other) => {
        const cursor = createCursor(list, [one, other])
        expect(cursor).toMatch(/^[\w-]+$/)
        expect(readCursor(list, cursor, isPair)).toEqual([one, other])
      }),
    )
  })

  it('of another list is refused with advice', () => {
    const cursor = createCursor(['contacts', 'bot-1', 'ada'], ['a', 'b'])
    for (const list of [
      ['contacts', 'bot-1', 'grace'],
      ['contacts', 'bot-2', 'ada'],
      ['conversations', 'bot-1'],
    ])
      expect(adviceOf(list, cursor)).toBe(
        'A cursor of another list. Send the `next` of a page of this bot and this search, or leave out `after` to begin at the start.',
      )
  })

  it('that no page has given is refused with advice', () => {
    const advice = 'Not a cursor. Send the `next` of the previous page, or leave out `after` to begin at the start.'
    const cursor = createCursor(['a'], ['a', 'b'])
    for (const made of [
      '',
      'x',
      cursor.slice(0, -4),
      createCursor(['a'], ['a']),
      btoa('{}'),
      btoa('[1,2,3]'),
      btoa('7'),
    ])
      expect(adviceOf(['a'], made), made).toBe(advice)
  })
})
