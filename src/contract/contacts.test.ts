import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { scale } from '../testScale.ts'
import {
  codePoints,
  contactCreateSchema,
  contactSchema,
  contactUpdateSchema,
  contactUpsertSchema,
  emailSchema,
  isEmail,
  midSchema,
  nameSchema,
  phoneSchema,
  toFieldErrors,
  widSchema,
} from './index.ts'
import { anyCharacter } from './testing/anyCharacter.ts'

/** The error codes of a value, empty if it is valid. */
const codes = (schema: v.GenericSchema, input: unknown): string[] => {
  const result = v.safeParse(schema, input)
  return result.success ? [] : toFieldErrors(result.issues).map(error => error.code)
}

describe('emailSchema', () => {
  const local64 = 'a'.repeat(64)
  const domain189 = `${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(58)}.no`
  it.each([
    'ada@example.com',
    "o'hara+tag/{x}@example.co.uk",
    'ada@bücher.example',
    'ada@उदाहरण.भारत',
    'ADA@EXAMPLE.COM',
    'a@a.b1',
    `${local64}@${domain189}`,
  ])('accepts %s', email => {
    expect(v.parse(emailSchema, email)).toBe(email)
  })

  it('trims, and keeps the rest unchanged', () => {
    expect(v.parse(emailSchema, ' \tAda@Example.COM\n')).toBe('Ada@Example.COM')
  })

  it.each([
    'ada',
    'ada@',
    '@example.com',
    'ada@@example.com',
    'ada@example.com@example.com',
    'ada@localhost',
    'ada lovelace@example.com',
    'ada@exa mple.com',
    'ada\u0000@example.com',
    'ada@example.com\u0007x',
    'ádá@example.com',
    '\u212ada@example.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@example..com',
    'ada@.example.com',
    'ada@example.com.',
    'ada@127.0.0.1',
    'ada@[127.0.0.1]',
    'ada@exam_ple.com',
    'ada@example\ud800.com',
    'ada@exam\u00adple.com',
    `a${local64}@example.com`,
    `a${local64.slice(1)}@d${domain189}x`,
  ])('refuses %j', email => {
    expect(codes(emailSchema, email)).toEqual(['invalid_format'])
  })

  it.each(['', '   '])('reports too_short, once, for %j', email => {
    expect(codes(emailSchema, email)).toEqual(['too_short'])
  })

  it('says how to send a plus sign if a form has turned it into a space', () => {
    const { issues } = v.safeParse(emailSchema, 'ada tag@example.com')
    expect(issues?.[0]?.message).toContain('%2B')
  })

  it('never accepts forbidden parts, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.emailAddress()), text => {
        if (!isEmail(text)) return
        const [local = '', domain = '', ...more] = text.split('@')
        expect(more).toEqual([])
        expect(local).toMatch(/^[\x21-\x7e]{1,64}$/)
        expect(text.length).toBeLessThanOrEqual(254)
        expect(domain).not.toMatch(/[\s\p{Cc}]|\.\.|^[.-]|[.-]$/u)
      }),
      { seed: scale.seed },
    )
  })
})

describe('nameSchema', () => {
  it('trims and composes', () => {
    expect(v.parse(nameSchema, '  Ame\u0301lie ')).toBe('Amélie')
  })

  it('counts code points of the composed form: 255 is enough, 256 too many', () => {
    expect(v.parse(nameSchema, '😀'.repeat(255))).toBe('😀'.repeat(255))
    expect(codes(nameSchema, '😀'.repeat(256))).toEqual(['too_long'])
    // U+1F82 decomposes into four code points, the maximum.
    const decomposed = '\u1f82'.repeat(255).normalize('NFD')
    expect(v.parse(nameSchema, decomposed)).toBe('\u1f82'.repeat(255))
    expect(codes(nameSchema, `${decomposed}a`)).toEqual(['too_long'])
  })

  it.each(['\u0000', '\u0007', '\u007f', '\u0085', '\u202e', '\u2066', '\u2069', '\ud800', '\udc00'])(
    'refuses %j inside',
    character => {
      expect(codes(nameSchema, `Ada${character}Lovelace`)).toEqual(['invalid_character'])
    },
  )

  it.each(['', ' \n ', '\u200b', '\u2060\u200d \u00ad', '\u3164'])('says too_short of %j', name => {
    expect(codes(nameSchema, name)).toEqual(['too_short'])
  })

  it.each(["O'Hara; DROP TABLE", '100% _\\"', '<b>Ada</b>', 'אדה לאבלייס', '__proto__'])('accepts %s', name => {
    expect(v.parse(nameSchema, name)).toBe(name)
  })

  it('refuses a run of combining marks that would take seconds to normalize', () => {
    expect(codes(nameSchema, `a${'\u0316\u0301'.repeat(500)}`)).toEqual(['invalid_character'])
    expect(codes(nameSchema, `a${'\u0316'.repeat(31)}`)).toEqual(['invalid_character'])
    expect(v.parse(nameSchema, `a${'\u0316'.repeat(30)}`)).toHaveLength(31)
  })

  it('gives the same again for its own result', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), text => {
        const result = v.safeParse(nameSchema, text)
        if (!result.success) return
        expect(v.parse(nameSchema, result.output)).toBe(result.output)
        expect(codePoints(result.output)).toBeLessThanOrEqual(255)
      }),
      { seed: scale.seed },
    )
  })
})

describe('phoneSchema', () => {
  it.each(['', '+47 (22) 33-44.55 x6#7/8', '22 33 ext. 4', '1'.repeat(40)])('accepts %j unchanged', phone => {
    expect(v.parse(phoneSchema, phone)).toBe(phone)
  })
  it.each([
    ['  +47 12 3 4 ', '+47 12 3 4'],
    ['\u202a +47 22 33\u00a0\u202c', '+47 22 33'],
    [' ', ''],
    ['\ufeff\u200e+47\u00a022\u202f33', '+47 22 33'],
    ['22\u201133\u201344', '22-33-44'],
    ['＋４７（２２）３３', '+47(22)33'],
    ['٢٢ ۳۳', '22 33'],
  ])('stores %j, as it is copied from contacts, as %j', (phone, stored) => {
    expect(v.parse(phoneSchema, phone)).toBe(stored)
  })
  it('refuses more than 40 characters', () => {
    for (const count of [41, 201, 1_000_000]) expect(codes(phoneSchema, '1'.repeat(count))).toEqual(['too_long'])
    expect(v.parse(phoneSchema, `\u202a${'1'.repeat(40)}\u202c`)).toHaveLength(40)
  })
  it.each(['call me', '22\n33', '22;33', 'text.', `${' '.repeat(201)}call me`])('refuses %j', phone => {
    expect(codes(phoneSchema, phone)).toEqual(['invalid_format'])
  })
})

describe('widSchema', () => {
  it.each(['', '+47', '+4712345678', `+${'9'.repeat(15)}`])('accepts %j', wid => {
    expect(v.parse(widSchema, wid)).toBe(wid)
  })
  it.each(['+47 123-45.678', '\u202a+47\u00a0123\u201145\u00a0678\u202c', '＋４７ (123) 45678'])(
    'stores %j in E.164',
    wid => {
      expect(v.parse(widSchema, wid)).toBe('+4712345678')
    },
  )
  it.each(['4712345678', '+0471234', '+4', `+${'9'.repeat(16)}`, '+47\n', ' 4712345678', '++47', '+47x1'])(
    'refuses %j',
    wid => {
      expect(codes(widSchema, wid)).toEqual(['invalid_format'])
    },
  )
  it('says how to send the plus sign if a form has turned it into a space', () => {
    expect(v.safeParse(widSchema, ' 4712345678').issues?.[0]?.message).toContain('%2B')
    expect(v.safeParse(widSchema, '4712345678').issues?.[0]?.message).not.toContain('%2B')
  })
})

describe('midSchema', () => {
  it.each(['', '!~', 'm'.repeat(128)])('accepts %j', mid => {
    expect(v.parse(midSchema, mid)).toBe(mid)
  })
  it('refuses more than 128 characters', () => {
    expect(codes(midSchema, 'm'.repeat(129))).toEqual(['too_long'])
  })
  it.each(['a b', 'a\u0000', 'é', '\u007f'])('refuses %j', mid => {
    expect(codes(midSchema, mid)).toEqual(['invalid_character'])
  })
})

describe('contact bodies', () => {
  const ada = { name: 'Ada Lovelace', email: 'ada@example.com' }

  it('require name and email to create, and report what is missing', () => {
    const { issues } = v.safeParse(contactCreateSchema, {})
    expect(toFieldErrors(issues ?? [])).toMatchObject([
      { pointer: '/name', code: 'missing' },
      { pointer: '/email', code: 'missing' },
    ])
  })

  it('require nothing to update', () => {
    expect(v.parse(contactUpdateSchema, {})).toEqual({})
  })

  it('allow "" to clear phone, mid and wid, never name or email', () => {
    const empty = { phone: '', mid: '', wid: '' }
    expect(v.parse(contactUpdateSchema, empty)).toEqual(empty)
    expect(codes(contactUpdateSchema, { name: '' })).toEqual(['too_short'])
    expect(codes(contactUpdateSchema, { email: '' })).toEqual(['too_short'])
  })

  it('drop unknown fields, including ids and prototype keys', () => {
    const body = JSON.parse(
      '{"name":"Ada Lovelace","email":"ada@example.com","id":"1","botId":"2","createdAt":"3","verified":true,"__proto__":{"name":"x"},"constructor":"y"}',
    )
    const parsed = v.parse(contactCreateSchema, body)
    expect(parsed).toEqual({ ...ada, phone: '', mid: '', wid: '' })
    expect(Object.keys(parsed)).toEqual(['name', 'email', 'phone', 'mid', 'wid'])
    expect(Object.keys(v.parse(contactUpdateSchema, body))).toEqual(['name', 'email'])
  })

  it('accept only strings, in every field', () => {
    for (const field of ['name', 'email', 'phone', 'wid', 'mid']) {
      for (const value of [1, true, null, [], {}, ['ada@example.com']]) {
        const { issues } = v.safeParse(contactCreateSchema, { ...ada, [field]: value })
        expect(toFieldErrors(issues ?? [])).toEqual([
          { pointer: `/${field}`, code: 'wrong_type', detail: 'Must be a string.' },
        ])
      }
    }
  })

  it('point at the invalid entry of an upsert', () => {
    const { issues } = v.safeParse(contactUpsertSchema, { data: [ada, { email: 'nobody' }, { name: 'No Email' }] })
    expect(toFieldErrors(issues ?? [])).toMatchObject([
      { pointer: '/data/1/email', code: 'invalid_format', index: 1 },
      { pointer: '/data/2/email', code: 'missing', index: 2 },
    ])
  })

  it.each([{}, { data: null }, { data: 'x' }, { data: {} }, { data: [null] }, [], 'x', null])(
    'refuse %j as an upsert with a pointer',
    body => {
      const { issues } = v.safeParse(contactUpsertSchema, body)
      expect(toFieldErrors(issues ?? []).length).toBe(1)
    },
  )

  it('report at most a hundred errors', () => {
    const { issues } = v.safeParse(contactUpsertSchema, { data: Array(500).fill({}) })
    expect(toFieldErrors(issues ?? []).length).toBe(100)
  })
})

describe('contactSchema', () => {
  it("accepts the specification's sample: an unknown wip, no mid, no wid", () => {
    const sample = { id: '1', name: 'A', email: 'a@b.co', phone: '', wip: '', createdAt: 't', updatedAt: 't' }
    const { wip: _, ...known } = sample
    expect(v.parse(contactSchema, sample)).toEqual({ ...known, mid: '', wid: '' })
  })
})
