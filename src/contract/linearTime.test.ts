import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { contactSearchSchema, emailSchema, messageCreateSchema, nameSchema, phoneSchema } from './index.ts'
import { growth, linearGrowth } from './testing/growth.ts'

const parse = (schema: v.GenericSchema) => (text: string) => v.safeParse(schema, text)
const spaces = (n: number) => `${' '.repeat(n / 2)}x${' '.repeat(n / 2)}x`

describe('ten times the input takes at most fifteen times as long', () => {
  it.each<[string, (n: number) => string]>([
    ['at signs', n => '@'.repeat(n)],
    ['a long local part', n => `${'a'.repeat(n)}@example.com`],
    ['labels', n => `a@${'a.'.repeat(n / 2)}`],
    ['hyphens', n => `a@${'a-'.repeat(n / 2)}`],
    ['hyphens to the end', n => `a@a${'-'.repeat(n)}`],
    ['spaces inside', n => `a${' '.repeat(n)}b@example.com`],
    ['spaces around', spaces],
  ])('email: %s', (_, text) => {
    expect(growth(parse(emailSchema), text)).toBeLessThanOrEqual(linearGrowth)
  })

  // Normalizing a run of combining marks takes quadratic time: 7 s for 200,000 of them.
  it.each<[string, (n: number) => string]>([
    ['marks to be reordered', n => `a${'\u0301\u0316'.repeat(n / 2)}`],
    ['letters', n => 'a'.repeat(n)],
    ['spaces around', spaces],
    ['controls', n => '\u0007'.repeat(n)],
  ])('name: %s', (_, text) => {
    expect(growth(parse(nameSchema), text)).toBeLessThanOrEqual(linearGrowth)
  })

  it.each<[string, (n: number) => string]>([
    ['digits', n => '1'.repeat(n)],
    ['digits, then a letter', n => `${'+('.repeat(n / 2)}y`],
  ])('phone: %s', (_, text) => {
    expect(growth(parse(phoneSchema), text)).toBeLessThanOrEqual(linearGrowth)
  })

  it('search terms', () => {
    expect(growth(parse(contactSearchSchema.entries.query), spaces)).toBeLessThanOrEqual(linearGrowth)
  })

  it('messages', () => {
    expect(growth(parse(messageCreateSchema.entries.text), spaces)).toBeLessThanOrEqual(linearGrowth)
  })
})
