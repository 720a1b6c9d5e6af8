import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { contactSearchSchema, emailSchema, messageCreateSchema, nameSchema, phoneSchema } from './index.ts'
import { growth, linearGrowth } from './testing/growth.ts'

const parse = (schema: v.GenericSchema) => (text: string) => v.safeParse(schema, text)
const spaces = (index: number) => `${' '.repeat(index / 2)}x${' '.repeat(index / 2)}x`

describe('ten times the input takes at most fifteen times as long', () => {
  it.each<[string, (index: number) => string]>([
    ['at signs', index => '@'.repeat(index)],
    ['a long local part', index => `${'a'.repeat(index)}@example.com`],
    ['labels', index => `a@${'a.'.repeat(index / 2)}`],
    ['hyphens', index => `a@${'a-'.repeat(index / 2)}`],
    ['hyphens to the end', index => `a@a${'-'.repeat(index)}`],
    ['spaces inside', index => `a${' '.repeat(index)}b@example.com`],
    ['spaces around', spaces],
  ])('email: %s', (_, text) => {
    expect(growth(parse(emailSchema), text)).toBeLessThanOrEqual(linearGrowth)
  })

  // Normalizing a run of combining marks takes quadratic time: 7 s for 200,000 of them.
  it.each<[string, (n: number) => string]>([
    ['marks to be reordered', index => `a${'\u0301\u0316'.repeat(index / 2)}`],
    ['letters', index => 'a'.repeat(index)],
    ['spaces around', spaces],
    ['controls', index => '\u0007'.repeat(index)],
  ])('name: %s', (_, text) => {
    expect(growth(parse(nameSchema), text)).toBeLessThanOrEqual(linearGrowth)
  })

  it.each<[string, (n: number) => string]>([
    ['digits', index => '1'.repeat(index)],
    ['digits, then a letter', index => `${'+('.repeat(index / 2)}y`],
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
