import type { DatabaseSync } from 'node:sqlite'
import { toTokens } from './trigrams.ts'

/** Keeps the full-text table up with the contacts, apart from the writes that change them. */
export interface Indexer {
  /** Works for a few milliseconds; tells whether it found anything to do. */
  step(): boolean
  /** Whether so much is left that searches, which read it row by row, take longer for it. */
  isBehind(): boolean
  /** Has the next steps write the table's file anew, where contacts have been erased since it was written last. */
  eraseTraces(): void
}

const contactsAtOnce = 50
/** Pages written at once in keeping the table's segments few, of which each search reads every one. */
const mergedAtOnce = 32
const behindFrom = 2000

export function createIndexer(db: DatabaseSync, durable: boolean): Indexer {
  const next = db.prepare(
    `SELECT u.bot, u.number, l.name, l.rest, l.digits
     FROM unindexed u LEFT JOIN contacts c ON c.number = u.number
       LEFT JOIN contact_list l ON l.bot = u.bot AND l.created_at = c.created_at AND l.id = c.id
     LIMIT ${contactsAtOnce}`,
  )
  const index = db.prepare('INSERT OR REPLACE INTO contact_search (rowid, text) VALUES (?, ?)')
  const forget = db.prepare('DELETE FROM contact_search WHERE rowid = ?')
  const done = db.prepare('DELETE FROM unindexed WHERE bot = ? AND number = ?')
  const noteErased = db.prepare('INSERT OR IGNORE INTO erased (number) VALUES (?)')
  const forgetErased = db.prepare('DELETE FROM erased')
  const merge = db.prepare(`INSERT INTO contact_search (contact_search, rank) VALUES ('merge', ?)`)
  const changes = db.prepare('SELECT total_changes() AS count')
  const beyond = db.prepare('SELECT 1 FROM unindexed LIMIT 1 OFFSET ?')
  let isMerged = false
  let mayHoldTraces = false

  function indexSome(): number {
    const rows = next.all() as unknown as Unindexed[]
    for (const { bot, number, name, rest, digits } of rows) {
      if (name === null) {
        forget.run(number)
        noteErased.run(number)
      } else index.run(number, toTokens(bot, [name, rest, digits]))
      done.run(bot, number)
    }
    return rows.length
  }

  /** Tells whether there was anything to merge: a merge of nothing is one change. */
  function mergeSome(): boolean {
    const count = () => Number(changes.get()?.['count'])
    const before = count()
    // Less than nothing: all segments into one, for which this is the start.
    const isAll = mayHoldTraces && forgetErased.run().changes > 0
    merge.run(isAll ? -mergedAtOnce : mergedAtOnce)
    mayHoldTraces = false
    return count() - before > 1
  }

  return {
    step() {
      if (isMerged && !mayHoldTraces && !beyond.get(0)) return false
      // Nobody waits for it, and what a loss of power takes away is done again.
      if (durable) db.exec('PRAGMA synchronous = NORMAL')
      try {
        db.exec('BEGIN IMMEDIATE')
        const indexed = indexSome()
        isMerged = !mergeSome() && indexed === 0
        db.exec('COMMIT')
        return !isMerged
      } finally {
        if (db.isTransaction) db.exec('ROLLBACK')
        if (durable) db.exec('PRAGMA synchronous = FULL')
      }
    },
    isBehind: () => beyond.get(behindFrom) !== undefined,
    eraseTraces() {
      mayHoldTraces = true
    },
  }
}

interface Unindexed {
  bot: number
  number: number
  /** `null` where the contact is gone. */
  name: string | null
  rest: string
  digits: string
}
