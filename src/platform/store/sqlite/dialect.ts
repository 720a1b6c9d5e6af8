import type { DatabaseSync } from 'node:sqlite'
import { type Dialect, defaultStoreLimits, type StoreLimits } from '../database.ts'

/** What SQLite does in its own way. */
export const sqliteDialect = (limits: StoreLimits = defaultStoreLimits): Dialect => ({
  map: async (items, map) => items.map(map),
  async lockEmails() {},
  limits,
  search: {
    contains: (column, value) => `instr(${column}, ${value}) > 0`,
    isInTime,
    toValue: form => form,
    async lookUp(tx, words, size) {
      if (size <= limits.scanned) return undefined
      const most = Math.floor(size / limits.rowsPerLookup)
      const found = await tx.one<{ numbers: string; count: number }>(
        `SELECT json_group_array(rowid) AS numbers, count(*) AS count
         FROM (SELECT rowid FROM contact_search WHERE contact_search MATCH $1 LIMIT $2)`,
        [toMatch(words), most + 1],
      )
      if (!found || found.count > most) return undefined
      return {
        from: list => `(SELECT value AS looked_up FROM json_each(${list})) CROSS JOIN contacts ON number = looked_up`,
        value: found.numbers,
      }
    },
    async lookUpMessages(tx, words, { botIds, before, limit }) {
      const found = await tx.all<{ number: number }>(
        `SELECT number FROM message_search CROSS JOIN message_texts ON number = message_search.rowid
         WHERE message_search MATCH $1 AND message_search.rowid < $2 AND ${isInTime('message_search.rowid')}
           AND bot_id = ANY ($3) ORDER BY message_search.rowid DESC LIMIT $4`,
        [toMatch(words.map(word => [word])), before, botIds, limit],
      )
      return found.map(({ number }) => number)
    },
  },
})

/** For one row of 256: the call costs a tenth of the comparison with a contact. */
const isInTime = (number: string): string => `(${number} % 256 > 0 OR in_time())`

/** The MATCH expression for what has all trigrams of a form of each word, and so may contain it. */
function toMatch(words: string[][]): string {
  const anyOf = words.map(forms => [...new Set(forms)].map(form => `(${allTrigramsOf(form)})`).join(' OR '))
  return anyOf.map(forms => `(${forms})`).join(' AND ')
}

function allTrigramsOf(form: string): string {
  const characters = [...form]
  const trigrams = characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''))
  return [...new Set(trigrams)].map(trigram => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
}

/** Pages of the index that a step merges. */
const pagesPerMerge = 256

/**
 * Merges parts of the full-text indexes into one, which leaves out what was deleted: until then the file holds pieces of three
 * characters of it. Resolves to whether there is more to merge.
 */
export function mergeSearchIndexes(db: DatabaseSync): boolean {
  const changes = () => Number(db.prepare('SELECT total_changes() AS count').get()?.['count'])
  const hasMerged = ['contact_search', 'message_search'].map(index => {
    const before = changes()
    db.prepare(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`).run(-pagesPerMerge)
    // A merge of nothing counts as one change.
    return changes() - before > 1
  })
  return hasMerged.includes(true)
}
