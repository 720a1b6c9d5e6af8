import type * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { attributesSchema, attributesUpdateSchema, validate } from './index.ts'

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]))
const errorsOf = (input: unknown, schema: v.GenericSchema = attributesSchema) => {
  const result = validate(schema, input)
  return 'errors' in result ? result.errors.map(({ pointer, code }) => `${pointer} ${code}`) : []
}

describe('attributes', () => {
  it.each<object>([
    {},
    { plan: 'pro', cart: 3, vip: true, ratio: -0.5, empty: '' },
    { 'page.path': '/orders', a_b: 1, 'A-1': 'x' },
    { [`k${'x'.repeat(39)}`]: '👩'.repeat(100) },
    { constructor: 1, toString: 'x' },
    { customer: 2 ** 53 - 1, debt: 1 - 2 ** 53 },
    many(20),
  ])('are taken as they are: %j', input => {
    expect(validate(attributesSchema, input)).toEqual({ output: input })
  })

  it.each<[unknown, string]>([
    [many(21), ' too_long'],
    [{ '1st': 1 }, '/1st invalid_format'],
    [{ '': 1 }, '/ invalid_format'],
    [{ 'a b': 1 }, '/a b invalid_format'],
    [JSON.parse('{"__proto__":1}'), '/__proto__ invalid_format'],
    [{ [`k${'x'.repeat(40)}`]: 1 }, `/k${'x'.repeat(40)} invalid_format`],
    [{ plan: null }, '/plan wrong_type'],
    [{ plan: ['pro'] }, '/plan wrong_type'],
    [{ plan: { name: 'pro' } }, '/plan wrong_type'],
    [{ cart: Number.POSITIVE_INFINITY }, '/cart out_of_range'],
    [JSON.parse('{"customer":12345678901234567890}'), '/customer out_of_range'],
    [{ debt: -(2 ** 53) }, '/debt out_of_range'],
    [{ plan: 'x'.repeat(501) }, '/plan too_long'],
    [{ plan: 'a\0b' }, '/plan invalid_character'],
    [{ plan: '\ud800' }, '/plan invalid_character'],
    [Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map(key => [key, 'x'.repeat(420)])), ' too_long'],
    [{ a: 'é'.repeat(500), b: 'é'.repeat(500), c: 'x'.repeat(50) }, ' too_long'],
    ['{"plan":"pro"}', ' wrong_type'],
    [['pro'], ' wrong_type'],
    [null, ' wrong_type'],
  ])('are refused with an error that names the key: %j', (input, error) => {
    expect(errorsOf(input)).toEqual([error])
  })

  it('are required in the body that sets them', () => {
    expect(errorsOf({}, attributesUpdateSchema)).toEqual(['/attributes missing'])
  })

  it('names each key that is wrong', () => {
    expect(errorsOf({ plan: null, cart: 3, 'a b': 1 })).toEqual(['/plan wrong_type', '/a b invalid_format'])
  })
})
