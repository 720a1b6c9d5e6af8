import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../contract/testing/anyCharacter.ts'
import { growth, linearGrowth } from '../../contract/testing/growth.ts'
import { scale } from '../../testScale.ts'
import { normalizeContact, normalizeName, normalizeQuery, normalizeRest } from './searchNormalization.ts'

const text = fc.string({ unit: anyCharacter, maxLength: 40 })
// Few letters, including some that need more than NFKD, so that unusual combinations occur.
const odd = fc.string({
  unit: fc.constantFrom(...'aAΣςσİıIßẞŁøĐæŒſK\u212a\u0301ﬁ한각É', 'e\u0301', '\u1100', '\u1161', '\u01c5'),
  maxLength: 12,
})

describe('normalizeName', () => {
  it.each([
    ['Ada Lovelace', 'ada lovelace'],
    ['ÉMILIE e\u0301', 'emilie e'],
    ['Łukasz Ørsted Đorđe', 'lukasz orsted dorde'],
    ['Straße STRASSE ẞ', 'strasse strasse ss'],
    ['Æsop Œuvre', 'aesop oeuvre'],
    ['İstanbul ısı', 'istanbul isi'],
    ['ΟΔΟΣ Οδός', 'οδοσ οδοσ'],
    ['ﬁ Ａｄａ ①', 'fi ada 1'],
    ['%_\\"\'', '%_\\"\''],
    ['O’Brien Oʼ `', "o'brien o' '"],
    ['Jean\u2011Luc – \u2212', 'jean-luc - -'],
  ])('folds %j to %j', (name, normalized) => {
    expect(normalizeName(name)).toBe(normalized)
  })

  it('folds a substring of a name to a substring of the normalized name', () => {
    const halves = fc.oneof(fc.tuple(odd, odd), fc.tuple(text, text))
    fc.assert(
      fc.property(halves, ([a, b]) => {
        expect(normalizeName(a + b)).toBe(normalizeName(a) + normalizeName(b))
      }),
      { numRuns: 500, seed: scale.seed },
    )
  })

  it('folds upper case, lower case, composed and decomposed forms to the same text, and is idempotent', () => {
    fc.assert(
      fc.property(fc.oneof(odd, text), name => {
        const normalized = normalizeName(name)
        expect(normalizeName(normalized)).toBe(normalized)
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) expect(normalizeName(name.normalize(form))).toBe(normalized)
      }),
      { numRuns: 500, seed: scale.seed },
    )
    fc.assert(
      fc.property(odd, name => {
        expect(normalizeName(name.toUpperCase())).toBe(normalizeName(name))
      }),
      { seed: scale.seed },
    )
  })
})

describe('normalizeRest', () => {
  it('lower-cases A–Z, folds apostrophes and dashes, and nothing else', () => {
    expect(normalizeRest('Ada.ZÉ@Ex.COM')).toBe('ada.zÉ@ex.com')
    expect(normalizeRest('o’b\u2011c')).toBe("o'b-c")
    expect(normalizeRest('\u212a\u0130\u0131\u017fﬀ')).toBe('\u212a\u0130\u0131\u017fﬀ')
    fc.assert(
      fc.property(text, value => {
        expect(normalizeRest(value)).toHaveLength(value.toWellFormed().length)
      }),
      { seed: scale.seed },
    )
  })
})

describe('normalizeContact', () => {
  it('joins the fields with a character that no query can contain', () => {
    const fields = { id: 'ID', name: 'Ádá', email: 'A@b.c', phone: '(1) 2', mid: 'M', wid: '+34' }
    expect(normalizeContact(fields)).toEqual({
      name: 'ada',
      rest: 'id\u001fa@b.c\u001f(1) 2\u001fm\u001f+34',
      digits: '12\u001f34',
    })
  })
})

describe('normalizeQuery', () => {
  it('compares only digits if a term of phone characters has at least three', () => {
    expect(normalizeQuery('(55) 1-2').words[0]?.digits).toBe('5512')
    expect(normalizeQuery('+47 1').words[0]?.digits).toBe('471')
    for (const term of ['12', '1 2 -', 'a123', '123@', ''])
      expect(normalizeQuery(term).words.every(({ digits }) => digits === undefined)).toBe(true)
  })

  it('splits at white space, with the longest word first, but not a phone number', () => {
    expect(normalizeQuery('de la\u00a0 Cruz')).toEqual({
      words: [
        { name: 'cruz', rest: 'cruz' },
        { name: 'de', rest: 'de' },
        { name: 'la', rest: 'la' },
      ],
    })
    const phone = { name: '22 33', rest: '22 33', digits: '2233' }
    expect(normalizeQuery('\u202a22\u00a033\u202c')).toEqual({ words: [phone] })
    expect(normalizeQuery('ada 22-33').words[1]).toEqual({ name: 'ada', rest: 'ada' })
    expect(normalizeQuery('')).toEqual({ words: [] })
  })

  it('folds differently for names and for the other fields', () => {
    expect(normalizeQuery('É\u212aX').words).toEqual([{ name: 'ekx', rest: 'É\u212ax' }])
  })

  it.each(['a', 'A\u0301', '\u0301\u0316', '\u0301', '\ufdfa', '1', ' -', '1 ', 'Σ', '한'])(
    'takes at most fifteen times as long for ten times as many of %j',
    unit => {
      expect(growth(normalizeQuery, size => unit.repeat(size / unit.normalize('NFKD').length))).toBeLessThanOrEqual(
        linearGrowth,
      )
    },
  )
})
