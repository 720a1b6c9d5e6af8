import type { DatabaseSync } from 'node:sqlite'
import { prepare } from './connection.ts'
import { toTokens } from './trigrams.ts'

/** Updates the full-text index in the background, after the writes that change contacts. */
export interface Indexer {
  /** Works for a few milliseconds; returns whether there was anything to do. */
  step(): boolean
  /** Whether the queue is so long that it slows down searches, which scan it. */
  hasBacklog(): boolean
  /** Whether the index still contains text of contacts that have been changed or deleted. */
  holdsDeletedText(): boolean
}

const contactBatchSize = 50
/** Removing one contact from all segments takes as long as adding many. */
const removalBatchSize = 4
/** Pages per merge step. Merging keeps the number of segments low, since each search reads all of them. */
const pagesPerMerge = 32
const backlogFrom = 2000

/** Creates an indexer that calls `onDeleted` before the commit of a step that removes text. */
export function createIndexer(db: DatabaseSync, durable: boolean, onDeleted = (): void => {}): Indexer {
  const next = prepare<QueuedContact>(
    db,
    `SELECT q.bot, q.number, q.name AS wasName, q.rest AS wasRest, q.digits AS wasDigits, d.name, d.rest, d.digits
     FROM search_index_queue q LEFT JOIN contacts c ON c.number = q.number
       LEFT JOIN contact_search_docs d ON d.bot = q.bot AND d.created_at = c.created_at AND d.id = c.id
     LIMIT ${contactBatchSize}`,
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
      if (removed === removalBatchSize) return index
      const was = wasName === null ? [] : [wasName, wasRest, wasDigits]
      const is = name === null ? [] : [name, rest, digits]
      // The index stores no text: to remove a row, pass exactly the text that was added.
      if (wasName !== null) remove.run(number, toTokens(bot, was, is))
      if (name !== null) add.run(number, toTokens(bot, is, was))
      done.run(bot, number)
      if (wasName === null) continue
      if (removed === 0) onDeleted()
      removed++
    }
    return rows.length
  }

  /** Returns whether there was anything to merge: an empty merge counts as one change. */
  function mergeSome(): boolean {
    const count = () => Number(changes.get()?.['count'])
    const before = count()
    merge.run(pagesPerMerge)
    return count() - before > 1
  }

  return {
    step() {
      if (isMerged && !queuedAt.get(0)) return false
      // This commit need not be durable: after a power failure the work is done again.
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

/** The indexed text of a contact (`null`: not indexed) and its present text (`null`: deleted). */
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
