import type { DatabaseSync } from 'node:sqlite'
import { prepare } from './connection.ts'
import { toTokens } from './trigrams.ts'

/** Keeps the full-text table up with the contacts, apart from the writes that change them. */
export interface Indexer {
  /** Works for a few milliseconds; tells whether it found anything to do. */
  step(): boolean
  /** Whether so much is left that searches, which read it row by row, take longer for it. */
  hasBacklog(): boolean
  /** Whether the table still holds what a contact was before it was changed or erased. */
  holdsDeletedText(): boolean
}

const contactsAtOnce = 50
/** To take one out of every segment of the table takes as long as to put many in. */
const removedAtOnce = 4
/** Pages written at once in keeping the table's segments few, of which each search reads every one. */
const mergedAtOnce = 32
const backlogFrom = 2000

/** `onErased` is called where a step has taken something out, before its commit. */
export function createIndexer(db: DatabaseSync, durable: boolean, onDeleted = (): void => {}): Indexer {
  const next = prepare<QueuedContact>(
    db,
    `SELECT u.bot, u.number, u.name AS wasName, u.rest AS wasRest, u.digits AS wasDigits, l.name, l.rest, l.digits
     FROM search_index_queue u LEFT JOIN contacts c ON c.number = u.number
       LEFT JOIN contact_search_docs l ON l.bot = u.bot AND l.created_at = c.created_at AND l.id = c.id
     LIMIT ${contactsAtOnce}`,
  )
  const add = db.prepare('INSERT INTO contact_search (rowid, text) VALUES (?, ?)')
  const remove = db.prepare(`INSERT INTO contact_search (contact_search, rowid, text) VALUES ('delete', ?, ?)`)
  const done = db.prepare('DELETE FROM search_index_queue WHERE bot = ? AND number = ?')
  const merge = db.prepare(`INSERT INTO contact_search (contact_search, rank) VALUES ('merge', ?)`)
  const changes = db.prepare('SELECT total_changes() AS count')
  const queuedAt = db.prepare('SELECT 1 FROM search_index_queue LIMIT 1 OFFSET ?')
  const deletedText = db.prepare('SELECT 1 FROM search_index_queue WHERE name IS NOT NULL LIMIT 1')
  let isMerged = false

  function indexSome(): number {
    const rows = next.all()
    let removed = 0
    for (const [index, { bot, number, wasName, wasRest, wasDigits, name, rest, digits }] of rows.entries()) {
      if (removed === removedAtOnce) return index
      const was = wasName === null ? [] : [wasName, wasRest, wasDigits]
      const is = name === null ? [] : [name, rest, digits]
      // The table keeps no text: what is taken out has to be said, and be what was put in.
      if (wasName !== null) remove.run(number, toTokens(bot, was, is))
      if (name !== null) add.run(number, toTokens(bot, is, was))
      done.run(bot, number)
      if (wasName === null) continue
      if (removed === 0) onDeleted()
      removed++
    }
    return rows.length
  }

  /** Tells whether there was anything to merge: a merge of nothing is one change. */
  function mergeSome(): boolean {
    const count = () => Number(changes.get()?.['count'])
    const before = count()
    merge.run(mergedAtOnce)
    return count() - before > 1
  }

  return {
    step() {
      if (isMerged && !queuedAt.get(0)) return false
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
    hasBacklog: () => queuedAt.get(backlogFrom) !== undefined,
    holdsDeletedText: () => deletedText.get() !== undefined,
  }
}

/** What the table holds of a contact, `null` where nothing, and what the contact is now, `null` where it is gone. */
interface QueuedContact {
  bot: number
  number: number
  wasName: string | null
  wasRest: string
  wasDigits: string
  name: string | null
  rest: string
  digits: string
}
