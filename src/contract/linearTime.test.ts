import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { contactSearchSchema, emailSchema, messageCreateSchema, nameSchema, phoneSchema } from './index.ts'

const length = 4000
const rounds = 21

/** How much more ten times the input costs. */
function growth(schema: v.GenericSchema, text: (length: number) => string): number {
  const inputs = [text(length), text(length * 10)]
  const timesMs: number[][] = [[], []]
  // In turns, so that whatever else the machine does meanwhile slows both.
  for (let round = 0; round < rounds; round++) {
    inputs.forEach((input, index) => {
      const start = performance.now()
      for (let i = 0; i < 3; i++) v.safeParse(schema, input)
      timesMs[index]?.push(performance.now() - start)
    })
  }
  const [short = 0, long = 0] = timesMs.map(median)
  return long / short
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const spaces = (n: number) => `${' '.repeat(n / 2)}x${' '.repeat(n / 2)}x`

describe('ten times the input costs at most fifteen times as much', () => {
  it.each<[string, (n: number) => string]>([
    ['at signs', n => '@'.repeat(n)],
    ['a long local part', n => `${'a'.repeat(n)}@example.com`],
    ['labels', n => `a@${'a.'.repeat(n / 2)}`],
    ['hyphens', n => `a@${'a-'.repeat(n / 2)}`],
    ['hyphens to the end', n => `a@a${'-'.repeat(n)}`],
    ['spaces inside', n => `a${' '.repeat(n)}b@example.com`],
    ['spaces around', spaces],
  ])('email: %s', (_, text) => {
    expect(growth(emailSchema, text)).toBeLessThanOrEqual(15)
  })

  // Normalizing a run of marks takes quadratic time: 7 s for 200,000 of them.
  it.each<[string, (n: number) => string]>([
    ['marks to be reordered', n => `a${'\u0301\u0316'.repeat(n / 2)}`],
    ['letters', n => 'a'.repeat(n)],
    ['spaces around', spaces],
    ['controls', n => '\u0007'.repeat(n)],
  ])('name: %s', (_, text) => {
    expect(growth(nameSchema, text)).toBeLessThanOrEqual(15)
  })

  it.each<[string, (n: number) => string]>([
    ['digits', n => '1'.repeat(n)],
    ['digits, then a letter', n => `${'+('.repeat(n / 2)}y`],
  ])('phone: %s', (_, text) => {
    expect(growth(phoneSchema, text)).toBeLessThanOrEqual(15)
  })

  it('search terms', () => {
    expect(growth(contactSearchSchema.entries.query, spaces)).toBeLessThanOrEqual(15)
  })

  it('messages', () => {
    expect(growth(messageCreateSchema.entries.text, spaces)).toBeLessThanOrEqual(15)
  })
})
