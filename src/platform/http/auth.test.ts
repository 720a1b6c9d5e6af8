import { describe, expect, it } from 'vitest'
import { growth, linearGrowth } from '../../contract/testing/growth.ts'
import { bearerOf, lastWordOf } from './auth.ts'

const headersOf = (authorization: string) => new Headers({ authorization })

describe('reading an Authorization header', () => {
  it.each([
    ['Bearer c:12', 'c:12'],
    ['bearer   c:12 ', 'c:12'],
    ['c:12', 'c:12'],
    ['', ''],
  ])('finds the token of "%s", checked or not', (header, token) => {
    expect(lastWordOf(headersOf(header))).toBe(token)
    if (token !== '') expect(bearerOf(headersOf(header))).toBe(token)
  })

  it.each<[string, (length: number) => string]>([
    ['a long word before the last one', length => `${'a'.repeat(length)} b`],
    ['many words', length => 'a '.repeat(length / 2)],
    ['spaces', length => `a${' '.repeat(length)}b`],
    ['commas', length => `a${', a'.repeat(length / 3)} b`],
    ['equals signs', length => `a, ${'='.repeat(length)} b`],
  ])('takes at most fifteen times as long for ten times the input: %s', (_, text) => {
    const read = (header: string) => {
      const headers = headersOf(header)
      lastWordOf(headers)
      try {
        bearerOf(headers)
      } catch {
        // None of them is a token.
      }
    }
    expect(growth(read, length => text(length / 10))).toBeLessThanOrEqual(linearGrowth)
  })
})
