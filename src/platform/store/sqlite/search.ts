import type { DatabaseSync } from 'node:sqlite'
import type { Contact } from '../../../contract/index.ts'
import type { Search, Store } from '../store.ts'
import type { Sync } from './connection.ts'
import { contactColumns } from './contacts.ts'
import { longestPhrase, toMatch } from './trigrams.ts'

export type SearchReads = Sync<Pick<Store, 'searchContacts'>>

/** No field holds one, so a query with one finds nothing. */
const controls = /\p{Cc}/u

/** Searches on a connection of their own: the hits of the present one are kept in a temporary table. */
export function searchReads(db: DatabaseSync): SearchReads {
  db.exec('CREATE TEMP TABLE hits (number INTEGER PRIMARY KEY)')
  const bot = db.prepare('SELECT number, contact_count AS size FROM bots WHERE id = ? AND organization_id = ?')
  const clear = db.prepare('DELETE FROM hits')
  const holds = `(($name <> '' AND instr(c.name_text, $name) > 0) OR ($rest <> '' AND instr(c.rest_text, $rest) > 0)
    OR ($digits <> '' AND instr(c.digits_text, $digits) > 0))`
  const scan = db.prepare(`INSERT INTO hits SELECT c.number FROM contacts c WHERE c.bot_id = $botId AND ${holds}`)
  const match = db.prepare('INSERT INTO hits SELECT rowid FROM contact_search WHERE contact_search MATCH ?')
  const matchLong = db.prepare(
    `INSERT INTO hits SELECT c.number FROM contact_search s CROSS JOIN contacts c ON c.number = s.rowid
     WHERE s.contact_search MATCH $expression AND ${holds}`,
  )
  const newest = 'ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?'
  const inBot = `SELECT number FROM contacts INDEXED BY contacts_newest WHERE bot_id = ?`
  const pageOfAll = contactsOf(`${inBot} ${newest}`)
  const pageByWalk = contactsOf(
    `${inBot} AND EXISTS (SELECT 1 FROM hits WHERE hits.number = contacts.number) ${newest}`,
  )
  const pageBySort = contactsOf(`SELECT number FROM hits CROSS JOIN contacts USING (number) WHERE bot_id = ? ${newest}`)

  function contactsOf(numbers: string) {
    return db.prepare(
      `SELECT ${contactColumns} FROM contacts WHERE number IN (${numbers}) ORDER BY created_at DESC, id DESC`,
    )
  }

  /** Fills the table of hits; returns how many there are. */
  function findHits(botId: string, number: number, { text, digits = '' }: Search): number {
    clear.run()
    const texts = { ...text, digits }
    const lengths = Object.values(texts).map(part => [...part].length)
    // Below three characters there is no trigram to look up.
    if (lengths.some(length => length === 1 || length === 2)) return Number(scan.run({ botId, ...texts }).changes)
    const expression = toMatch(number, texts)
    const isLong = lengths.some(length => length > longestPhrase)
    return Number((isLong ? matchLong.run({ expression, ...texts }) : match.run(expression)).changes)
  }

  function choosePage(size: number, total: number, end: number) {
    if (total === size) return pageOfAll
    // Either from the newest contact on until the page is full, or by sorting all hits, each looked up at random.
    return (end * size) / total < total * 3 ? pageByWalk : pageBySort
  }

  function search(scope: { organizationId: string; botId: string }, wanted: Search) {
    const { text, page, limit } = wanted
    const found = bot.get(scope.botId, scope.organizationId) as { number: number; size: number } | undefined
    if (!found) return 'not_found'
    if (controls.test(text.name + text.rest)) return { contacts: [], total: 0 }
    const isAll = text.name === '' && text.rest === ''
    const total = isAll ? found.size : findHits(scope.botId, found.number, wanted)
    if (total === 0) return { contacts: [], total }
    const start = (Math.min(page, Math.ceil(total / limit)) - 1) * limit
    const rows = choosePage(found.size, total, start + limit).all(scope.botId, limit, start)
    return { contacts: rows as unknown as Contact[], total }
  }

  return {
    searchContacts(scope, wanted) {
      // One snapshot for all of it.
      db.exec('BEGIN')
      try {
        return search(scope, wanted)
      } finally {
        if (db.isTransaction) db.exec('COMMIT')
      }
    },
  }
}
