import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tokenizer, toMatch, toTokens } from './trigrams.ts'

const text = fc.string({
  unit: fc.constantFrom(...'ab1x \'"%_\\*:()-^\u001f\u00e9', '\u{1f600}', '\u7d75'),
  maxLength: 12,
})
const bot = fc.integer({ min: 1, max: 120 })

function openTable() {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE VIRTUAL TABLE texts USING fts5 (name, rest, digits, content = '', tokenize = "${tokenizer}")`)
  const insert = db.prepare('INSERT INTO texts (rowid, name, rest, digits) VALUES (?, ?, ?, ?)')
  const match = db.prepare('SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid')
  return {
    insert: (id: number, number: number, name: string) => insert.run(id, toTokens(number, name), '', ''),
    find: (number: number, name: string) =>
      match.all(toMatch(number, { name, rest: '', digits: '' })).map(row => Number(row['rowid'])),
  }
}

describe('toTokens', () => {
  it('gives two bots no token in common, so that neither pays for the other', () => {
    fc.assert(
      fc.property(bot, bot, text, text, (one, two, a, b) => {
        fc.pre(one !== two)
        const tokens = new Set(toTokens(one, a).split('\n').filter(Boolean))
        expect(
          toTokens(two, b)
            .split('\n')
            .filter(token => tokens.has(token)),
        ).toEqual([])
      }),
    )
  })

  it('lets a term of three characters or more find the texts of its bot that hold it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(bot, text), { maxLength: 8 }), bot, text, (stored, number, term) => {
        fc.pre([...term].length >= 3)
        const table = openTable()
        const all = [...stored, [number, `b${term}a`], [number, term.slice(1)]] as [number, string][]
        for (const [index, [owner, name]] of all.entries()) table.insert(index, owner, name)
        const expected = all.flatMap(([owner, name], index) => (owner === number && name.includes(term) ? [index] : []))
        expect(table.find(number, term)).toEqual(expected)
      }),
    )
  })
})
