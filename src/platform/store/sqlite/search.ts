import type { DatabaseSync } from 'node:sqlite'
import type { Contact } from '../../../contract/index.ts'
import type { BotScope, Search } from '../store.ts'
import { prepare } from './connection.ts'
import { contactColumns } from './contacts.ts'
import type { SearchLimits } from './searchLimits.ts'
import { toMatch } from './trigrams.ts'

/** The longest queue that a search scans. It is longer only after a process was killed during a very large import. */
const maxQueued = 5000
/** Reading one contact by its number costs as much as scanning this many. */
const rowsPerLookup = 10

type Found = { contacts: Contact[]; total: number } | 'not_found'

export interface SearchReads {
  /** Answers searches that take a few milliseconds; for others it returns `broad`. */
  searchIndexed(scope: BotScope, search: Search): Found | 'broad'
  /** Answers every search. */
  searchScan(scope: BotScope, search: Search): Found
}

/** No field contains one, so a query with one finds nothing. */
const controls = /\p{Cc}/u

export function searchReads(db: DatabaseSync, limits: SearchLimits): SearchReads {
  const bot = prepare<BotRow>(db, 'SELECT number, contact_count AS size FROM bots WHERE id = ? AND organization_id = ?')
  const holds = `(($name <> '' AND instr(l.name, $name) > 0) OR ($rest <> '' AND instr(l.rest, $rest) > 0)
    OR ($digits <> '' AND instr(l.digits, $digits) > 0))`
  const held = `FROM contact_search_docs l WHERE l.bot = $bot AND ($isAll OR ${holds})`
  const count = prepare<{ total: number }>(db, `SELECT count(*) AS total ${held}`)
  const [fromNewest, fromOldest] = [pageFrom('DESC'), pageFrom('ASC')]
  const matches = prepare<NumberRow>(
    db,
    'SELECT rowid AS number FROM contact_search WHERE contact_search MATCH ? LIMIT ?',
  )
  const queued = prepare<NumberRow>(db, 'SELECT number FROM search_index_queue WHERE bot = ? LIMIT ?')
  const among = prepare<NumberRow>(
    db,
    `SELECT c.number FROM json_each($numbers) n CROSS JOIN contacts c ON c.number = n.value
       CROSS JOIN contact_search_docs l ON l.bot = $bot AND l.created_at = c.created_at AND l.id = c.id
     WHERE ${holds} ORDER BY c.created_at DESC, c.id DESC`,
  )
  const page = prepare<Contact>(db, pageOf('SELECT value FROM json_each(?)'))

  function pageFrom(order: 'ASC' | 'DESC') {
    return prepare<Contact>(
      db,
      pageOf(`SELECT l.number ${held} ORDER BY l.created_at ${order}, l.id ${order} LIMIT $count OFFSET $skipped`),
    )
  }

  /** Reads the bot's contacts in their order, from that end which is nearer to the page. */
  function scan({ number, size }: BotRow, { text, digits = '', ...wanted }: Search, isAll: boolean): Found {
    const terms = { bot: number, isAll: isAll ? 1 : 0, ...text, digits }
    const total = isAll ? size : (count.get(terms)?.total ?? 0)
    const { start, end } = pageWithin(total, wanted)
    const rows =
      start <= total - end
        ? fromNewest.all({ ...terms, count: end - start, skipped: start })
        : fromOldest.all({ ...terms, count: end - start, skipped: total - end })
    return { contacts: rows, total }
  }

  /** Looks contacts up, and reads those that are found and those that can't be looked up yet. */
  function readIndexed({ number }: BotRow, { text, digits = '', ...wanted }: Search, most: number): Found | 'broad' {
    const terms = { ...text, digits }
    const numbersOf = (rows: NumberRow[]) => rows.map(({ number }) => number)
    const found = numbersOf(matches.all(toMatch(number, Object.values(terms)), most + 1))
    const left = numbersOf(queued.all(number, maxQueued + 1))
    if (found.length > most || left.length > maxQueued) return 'broad'
    const numbers = JSON.stringify([...new Set([...found, ...left])])
    const held = numbersOf(among.all({ numbers, bot: number, ...terms }))
    const { start, end } = pageWithin(held.length, wanted)
    const contacts = page.all(JSON.stringify(held.slice(start, end)))
    return { contacts, total: held.length }
  }

  function search({ organizationId, botId }: BotScope, wanted: Search, mayScan: boolean): Found | 'broad' {
    const found = bot.get(botId, organizationId)
    if (!found) return 'not_found'
    const { name, rest } = wanted.text
    if (controls.test(name + rest)) return { contacts: [], total: 0 }
    const isAll = name === '' && rest === ''
    if (found.size <= limits.scanned || (isAll && mayScan)) return scan(found, wanted, isAll)
    if (isAll) return isDeep(found.size, wanted) ? 'broad' : scan(found, wanted, isAll)
    // Below three characters there is no trigram to look up.
    const isShort = [name, rest, wanted.digits ?? ''].some(part => part !== '' && [...part].length < 3)
    const most = mayScan ? Math.floor(found.size / rowsPerLookup) : limits.indexed
    const answer = isShort ? 'broad' : readIndexed(found, wanted, most)
    return mayScan && answer === 'broad' ? scan(found, wanted, isAll) : answer
  }

  /** Whether a page of all contacts is far from both ends. */
  function isDeep(size: number, wanted: { page: number; limit: number }): boolean {
    const { start, end } = pageWithin(size, wanted)
    return Math.min(start, size - end) > limits.scanned * 10
  }

  /** All of a search sees one state of the database. */
  function inOneSnapshot<Result>(run: () => Result): Result {
    db.exec('BEGIN')
    try {
      return run()
    } finally {
      if (db.isTransaction) db.exec('COMMIT')
    }
  }

  return {
    searchIndexed: (scope, wanted) => inOneSnapshot(() => search(scope, wanted, false)),
    searchScan: (scope, wanted) => inOneSnapshot(() => search(scope, wanted, true)) as Found,
  }
}

interface NumberRow {
  number: number
}

interface BotRow {
  number: number
  size: number
}

/** Where the page begins and ends, the last one where it is beyond that. */
function pageWithin(total: number, { page, limit }: { page: number; limit: number }): { start: number; end: number } {
  const start = (Math.min(page, Math.max(1, Math.ceil(total / limit))) - 1) * limit
  return { start, end: Math.min(start + limit, total) }
}

function pageOf(numbers: string): string {
  return `SELECT ${contactColumns} FROM contacts WHERE number IN (${numbers}) ORDER BY created_at DESC, id DESC`
}
