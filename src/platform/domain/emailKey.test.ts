import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEmail } from '../../contract/index.ts'
import { anyCharacter } from '../../contract/testing/anyCharacter.ts'
import { scale } from '../../testScale.ts'
import { emailKey, mailboxKey } from './emailKey.ts'

describe('emailKey', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['A.B+c@b\u00fccher.example', 'a.b+c@xn--bcher-kva.example'],
    ['a@BU\u0308CHER.example', 'a@xn--bcher-kva.example'],
    ['a@xn--bcher-kva.example', 'a@xn--bcher-kva.example'],
    ['a@XN--BCHER-KVA.example', 'a@xn--bcher-kva.example'],
    ['a@fa\u00df.example', 'a@xn--fa-hia.example'],
    ['a@пример.испытание', 'a@xn--e1afmkfd.xn--80akhbyknj4f'],
    ['a@xn--80ak6aa92e.com', 'a@xn--80ak6aa92e.com'],
    // Thai and Lao: IDNA writes SARA AM, AM, HO NO and HO MO as two characters.
    ['a@\u0e04\u0e33.\u0e44\u0e17\u0e22', 'a@xn--42c6g8c.xn--o3cw4h'],
    ['a@\u0e99\u0eb3.\u0ea5\u0eb2\u0ea7', 'a@xn--e7c4c3d.xn--q7ce6a'],
  ])('makes of %j the key %j', (email, key) => {
    expect(isEmail(email)).toBe(true)
    expect(emailKey(email)).toBe(key)
  })

  it.each([
    ['the Kelvin sign', 'ada@ban\u212a.com'],
    ['the dotless i, which is a letter of its own', 'ada@b\u0131nk.com'],
    ['the dotted capital I', 'ada@b\u0130nk.com'],
    ['the long s', 'ada@ba\u017f.com'],
    ['full-width letters', 'ada@\uff42ank.com'],
    ['a variation selector', 'ada@bank\ufe0f.com'],
    ['a ligature', 'ada@o\ufb03ce.com'],
    ['full-width digits', 'ada@\uff11bank.com'],
  ])('does not confuse %s with plain letters', (_, email) => {
    const key = emailKey(email)
    expect(key === null || key.includes('@xn--')).toBe(true)
  })

  it.each([
    'a@1.2.3',
    'a@0x7f.1',
    'a@foo.0x1',
    `a@${'\u00fc'.repeat(63)}.com`,
    'a@\u0301a.com',
    'a@b',
    'a@b..c',
    'a@-b.com',
    'a@b_c.com',
    'a@%41.com',
    'a@b\u3002com',
    '@b.com',
    'a',
    '',
    'ad\u0131@b.com',
  ])('has no key for %j', email => {
    expect(emailKey(email)).toBeNull()
  })

  it('is the same for any ASCII case, and for the key itself', () => {
    const label = fc.string({ unit: fc.constantFrom(...'abzABZ019-üéßжÜÉЖ한'), minLength: 1, maxLength: 8 })
    const local = fc.string({ unit: fc.constantFrom(...'abzABZ019.+_-!#'), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(local, label, fc.constantFrom('com', 'Org', 'рф'), (name, host, top) => {
        const email = `${name}@${host}.${top}`
        const key = emailKey(email)
        if (key === null) return
        const swapped = email.replace(/[a-z]/gi, c => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()))
        expect(emailKey(swapped)).toBe(key)
        expect(emailKey(key)).toBe(key)
        expect(key).toMatch(/^[\x21-\x7e]+$/)
      }),
      { numRuns: 1000, seed: scale.seed },
    )
  })

  it('distinguishes letters that only Unicode folding equates', () => {
    const ascii = 'abcdefghijklmnopqrstuvwxyz0123456789'
    const isFolded = (letter: string) =>
      /[!-~]/.test(letter.normalize('NFKD') + letter.toLowerCase() + letter.toUpperCase())
    // Non-ASCII characters, each alone between ASCII letters: none may result in an ASCII domain.
    for (let code = 0x80; code < 0x30000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue
      const letter = String.fromCodePoint(code)
      if (code >= scale.codePoints && !isFolded(letter)) continue
      const key = emailKey(`a@x${letter}y.com`)
      if (key !== null && !key.startsWith('a@xn--')) expect.fail(`U+${code.toString(16)} gives ${key}`)
    }
    expect(new Set([...ascii].map(letter => emailKey(`${letter}@${letter}x.com`))).size).toBe(ascii.length)
  })

  it('accepts any text without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), value => void emailKey(`a@${value}`)),
      { seed: scale.seed },
    )
  })
})

it('mailboxKey is one for the spellings of an address, and none for what needs quotes', () => {
  for (const [key, mailbox] of [
    ['ada@example.com', 'ada@example.com'],
    ['ada+shop+2@example.com', 'ada@example.com'],
    ['a.d.a@example.com', 'a.d.a@example.com'],
    ['a.d.a+x@gmail.com', 'ada@gmail.com'],
    ["o'hara_1@example.com", "o'hara_1@example.com"],
    ['"ada"@example.com', null],
    ['<ada@example.com', null],
    ['ada>@example.com', null],
    ['.ada@example.com', null],
    ['a..da@example.com', null],
    ['+ada@example.com', null],
  ] as const)
    expect(mailboxKey(key), key).toBe(mailbox)
})
