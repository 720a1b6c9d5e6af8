import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import {
  contactTokenCreateSchema,
  contactTokenPattern,
  organizationTokenPattern,
  toFieldErrors,
  visitorTokenPattern,
} from './index.ts'

describe('token patterns', () => {
  const hex = '0123456789abcdef'.repeat(4)
  it('match only their own form', () => {
    expect(contactTokenPattern.test(`c:${hex}`)).toBe(true)
    expect(visitorTokenPattern.test(`v:${hex}`)).toBe(true)
    expect(organizationTokenPattern.test(`o_${'aZ09-_'.repeat(7)}x`)).toBe(true)
  })
  it.each([
    `c:${hex}0`,
    `c:${hex.slice(1)}`,
    `c:${hex.toUpperCase()}`,
    `v:${hex}`,
    ` c:${hex}`,
    `c:${hex}\n`,
    `c${hex}`,
  ])('do not match as a contact token: %j', text => {
    expect(contactTokenPattern.test(text)).toBe(false)
  })
  it.each(['o_', `o_${'a'.repeat(42)}`, `o_${'a'.repeat(44)}`, `o_${'a'.repeat(42)}+`, `o_${'a'.repeat(43)}\n`])(
    'do not match as an organization token: %j',
    text => {
      expect(organizationTokenPattern.test(text)).toBe(false)
    },
  )
})

describe('contactTokenCreateSchema', () => {
  it.each([{ id: 'x' }, { email: 'ada@example.com' }, { id: 'x', email: 'ada@example.com' }])('accepts %j', body => {
    expect(v.parse(contactTokenCreateSchema, body)).toEqual(body)
  })
  it('requires at least one of the two', () => {
    const { issues } = v.safeParse(contactTokenCreateSchema, { other: 'x' })
    expect(toFieldErrors(issues ?? [])).toEqual([
      { pointer: '', code: 'missing', detail: 'Send the id or the email of the contact.' },
    ])
  })
  it('accepts only strings', () => {
    const { issues } = v.safeParse(contactTokenCreateSchema, { id: 1 })
    expect(toFieldErrors(issues ?? [])).toMatchObject([{ pointer: '/id', code: 'wrong_type' }])
  })
})
