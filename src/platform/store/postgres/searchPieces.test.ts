import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scale } from '../../../testScale.ts'
import { normalizeContact, normalizeQuery } from '../../search/searchNormalization.ts'
import { toPieces, toTermPieces } from './searchPieces.ts'

const text = fc.string({ unit: fc.constantFrom(...'abcxyz019-. @é王😀'), maxLength: 12 })
const fields = fc.record({ id: text, name: text, email: text, phone: text, mid: text, wid: text })

describe('toPieces', () => {
  it('gives a contact all pieces of every term that it contains', () => {
    fc.assert(
      fc.property(fields, text, text, text, (contact, before, term, after) => {
        const query = normalizeQuery(term)
        const pieces = toTermPieces('bot', query)
        if (!pieces) return
        const named = toPieces('bot', normalizeContact({ ...contact, name: before + term + after }))
        for (const piece of pieces.name) expect(named).toContain(piece)
        for (const field of ['id', 'email', 'phone', 'mid', 'wid'] as const) {
          const holding = toPieces('bot', normalizeContact({ ...contact, [field]: before + term + after }))
          for (const piece of pieces.rest) expect(holding, field).toContain(piece)
        }
        const called = toPieces('bot', normalizeContact({ ...contact, phone: before + term + after }))
        for (const piece of pieces.digits) expect(called).toContain(piece)
      }),
      { seed: scale.seed },
    )
  })

  it('gives each bot pieces of its own', () => {
    const { text } = normalizeQuery('lovelace')
    const ours = new Set(toTermPieces('bot-1', { text })?.name)
    expect(ours.size).toBe(6)
    expect(toTermPieces('bot-2', { text })?.name.filter(piece => ours.has(piece))).toEqual([])
  })

  it.each(['ab', '+4', '012', 'bea', 'é1'])('cannot look up %s', term => {
    expect(toTermPieces('bot', normalizeQuery(term))).toBeUndefined()
  })
  it.each(['abx', '0123', 'bea.', '王小明'])('can look up %s', term => {
    expect(toTermPieces('bot', normalizeQuery(term))).toBeDefined()
  })
})
