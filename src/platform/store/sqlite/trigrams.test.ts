import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scale } from '../../../testScale.ts'
import { fullTextOptions, toMatch, toTokens } from './trigrams.ts'

const text = fc.string({
  unit: fc.constantFrom(...'ab1x \'"%_\\*:()-^\u001f\u00e9', '\u{1f600}', '\u7d75'),
  maxLength: 24,
})
const bot = fc.integer({ min: 1, max: 120 })

function openTable() {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE VIRTUAL TABLE texts USING fts5 (text, ${fullTextOptions})`)
  const insert = db.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)')
  const match = db.prepare('SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rowid')
  return {
    insert: (id: number, number: number, ...texts: string[]) => insert.run(id, toTokens(number, texts)),
    find: (number: number, ...terms: string[]) => match.all(toMatch(number, terms)).map(row => Number(row['rowid'])),
  }
}

describe('toTokens', () => {
  it('shares no token between two bots, so that neither slows down the other', () => {
    fc.assert(
      fc.property(bot, bot, text, text, (one, two, a, b) => {
        fc.pre(one !== two)
        const tokens = new Set(toTokens(one, [a]).split('\n').filter(Boolean))
        expect(
          toTokens(two, [b])
            .split('\n')
            .filter(token => tokens.has(token)),
        ).toEqual([])
      }),
      { seed: scale.seed },
    )
  })
})

describe('toMatch', () => {
  it('finds every text of its bot that contains a term of three characters or more, and none of another bot', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(bot, text), { maxLength: 8 }), bot, text, text, (stored, number, term, other) => {
        fc.pre([...term].length >= 3 && [...other].length >= 3)
        const table = openTable()
        const all: [number, string][] = [...stored, [number, `b${term}a`], [number, other], [number, term.slice(1)]]
        for (const [index, [owner, held]] of all.entries()) table.insert(index, owner, 'aside', held)
        const found = new Set(table.find(number, term, '', other))
        for (const [index, [owner, held]] of all.entries()) {
          if (owner !== number) expect(found).not.toContain(index)
          else if (held.includes(term) || held.includes(other)) expect(found).toContain(index)
        }
      }),
      { seed: scale.seed },
    )
  })

  it('looks up only as much of a long term as is needed to distinguish it', () => {
    const id = (end: string) => `01980000-0000-7000-8000-${end}`
    const table = openTable()
    const ends = Array.from({ length: 200 }, (_, index) => createHash('md5').update(`${index}`).digest('hex').slice(20))
    for (const [index, end] of ends.entries()) table.insert(index, 1, id(end))
    for (const [index, end] of ends.entries()) expect(table.find(1, id(end))).toEqual([index])
    expect(toMatch(1, [id('0123456789ab')]).split(' AND ')).toHaveLength(12)
  })
})
