import { describe, expect, it } from 'vitest'
import { contactTokenPattern, organizationTokenPattern, visitorTokenPattern } from '../../contract/index.ts'
import { scale } from '../../testScale.ts'
import { mintContactToken, mintOrganizationToken, mintVisitorToken } from './tokens.ts'

const many = scale.createdTokens

/** Chi-squared statistic of the counts. For a uniform distribution it is about the degrees of freedom. */
const chiSquare = (counts: number[]): number => {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

describe(`${many} created tokens`, () => {
  it.each([
    ['contact', mintContactToken, contactTokenPattern, '0123456789abcdef', 64],
    ['visitor', mintVisitorToken, visitorTokenPattern, '0123456789abcdef', 64],
    // The last of 43 characters has only four bits.
    ['organization', mintOrganizationToken, organizationTokenPattern, base64url(), 42],
  ] as const)(
    'of the kind %s are valid, unique and have evenly distributed digits',
    (_, mint, form, alphabet, length) => {
      const seen = new Set<string>()
      const counts = Array.from({ length }, () => new Array<number>(alphabet.length).fill(0))
      for (let index = 0; index < many; index++) {
        const { token } = mint()
        if (!form.test(token)) throw new Error(`Not of the right form: ${token}`)
        seen.add(token)
        for (let position = 0; position < length; position++) {
          const digit = alphabet.indexOf(token.charAt(position + 2))
          const at = counts[position] as number[]
          at[digit] = (at[digit] ?? 0) + 1
        }
      }
      expect(seen.size).toBe(many)
      // Ten standard deviations above the mean of a uniform distribution.
      const bound = (freedom: number) => freedom + 10 * Math.sqrt(2 * freedom)
      const inAll = Array.from(alphabet, (_, digit) => counts.reduce((sum, at) => sum + (at[digit] ?? 0), 0))
      expect(chiSquare(inAll)).toBeLessThan(bound(alphabet.length - 1))
      for (const at of counts) expect(chiSquare(at)).toBeLessThan(bound(alphabet.length - 1))
    },
  )
})

function base64url(): string {
  return 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
}
