import type { DatabaseSync } from 'node:sqlite'
import type { Contact } from '../../../contract/index.ts'
import { contactColumns } from '../queries/contacts.ts'
import { countedTotal, matchesAll, matchesNothing, pageWithin, startOfContacts, toList } from '../searchRules.ts'
import type { BotScope, ContactPageStart, FoundContacts, ListedContacts, Search, SearchTerm } from '../store.ts'
import { inOneSnapshot, prepare } from './connection.ts'
import type { SearchLimits } from './searchLimits.ts'
import { toMatch } from './trigrams.ts'

/** The longest queue that a search scans. The queue gets longer only if a process is killed during a very large import. */
const maxQueued = 5000
/** Reading one contact by its number costs as much as scanning this many. */
const rowsPerLookup = 10

type Found = FoundContacts | 'not_found'

export interface SearchReads {
  /** Answers searches that take a few milliseconds; for others it returns `needs_scan`. */
  searchIndexed(scope: BotScope, search: Search): Promise<Found | 'needs_scan'>
  /** Answers every search. */
  searchScan(scope: BotScope, search: Search): Promise<Found>
  /** Takes a few milliseconds. */
  listContacts(scope: BotScope, page: ContactPageStart): Promise<ListedContacts | 'not_found'>
}

export function searchReads(db: DatabaseSync, limits: SearchLimits): SearchReads {
  const bot = prepare<BotRow>(db, 'SELECT number, contact_count AS size FROM bots WHERE id = ? AND organization_id = ?')
  const matchesWord = (name: string, rest: string, digits: string) =>
    `((${name} <> '' AND instr(d.name, ${name}) > 0) OR (${rest} <> '' AND instr(d.rest, ${rest}) > 0)
      OR (${digits} <> '' AND instr(d.digits, ${digits}) > 0))`
  const matchesTermSql = `(${matchesWord('$name', '$rest', '$digits')} AND NOT EXISTS (
    SELECT 1 FROM json_each($others) o
    WHERE NOT ${matchesWord("(o.value ->> 'name')", "(o.value ->> 'rest')", "(o.value ->> 'digits')")}))`
  const matchingContactsSql = `FROM contact_search_docs d WHERE d.bot = $bot AND ($isAll OR ${matchesTermSql})`
  const count = prepare<{ found: number }>(
    db,
    `SELECT count(*) AS found FROM (SELECT 1 ${matchingContactsSql} LIMIT ${limits.maxCounted + 1})`,
  )
  const [fromNewest, fromOldest] = [pageFrom('DESC'), pageFrom('ASC')]
  const matches = prepare<NumberRow>(
    db,
    'SELECT rowid AS number FROM contact_search WHERE contact_search MATCH ? LIMIT ?',
  )
  const queued = prepare<NumberRow>(db, 'SELECT number FROM search_index_queue WHERE bot = ? LIMIT ?')
  const filterCandidates = prepare<NumberRow>(
    db,
    `SELECT c.number FROM json_each($numbers) n CROSS JOIN contacts c ON c.number = n.value
       CROSS JOIN contact_search_docs d ON d.bot = $bot AND d.created_at = c.created_at AND d.id = c.id
     WHERE ${matchesTermSql} AND (c.created_at, c.id) < ($createdAt, $id) ORDER BY c.created_at DESC, c.id DESC`,
  )
  const after = 'd.bot = $bot AND (d.created_at, d.id) < ($createdAt, $id) ORDER BY d.created_at DESC, d.id DESC'
  const step = prepare<Contact>(
    db,
    pageOf(
      `SELECT d.number FROM (SELECT d.* FROM contact_search_docs d WHERE ${after} LIMIT $step) d
       WHERE $isAll OR ${matchesTermSql} LIMIT $count`,
    ),
  )
  const endOfStep = prepare<{ createdAt: string; id: string }>(
    db,
    `SELECT d.created_at AS createdAt, d.id FROM contact_search_docs d WHERE ${after} LIMIT 1 OFFSET $step - 1`,
  )
  const page = prepare<Contact>(db, pageOf('SELECT value FROM json_each(?)'))

  function pageFrom(order: 'ASC' | 'DESC') {
    return prepare<Contact>(
      db,
      pageOf(
        `SELECT d.number ${matchingContactsSql} ORDER BY d.created_at ${order}, d.id ${order}
         LIMIT $count OFFSET $skipped`,
      ),
    )
  }

  /** Reads the bot's contacts in their order, from the end that is nearer to the page. */
  function scan({ number, size }: BotRow, wanted: Search, isAll: boolean): Found {
    const terms = { bot: number, isAll: isAll ? 1 : 0, ...parametersOf(wanted) }
    const counted = isAll ? { total: size } : countedTotal(count.get(terms)?.found ?? 0, limits.maxCounted)
    const { total, totalIsExact = true } = counted
    const { start, end } = pageWithin(total, wanted)
    const contacts =
      start <= total - end || !totalIsExact
        ? fromNewest.all({ ...terms, count: end - start, skipped: start })
        : fromOldest.all({ ...terms, count: end - start, skipped: total - end })
    return { contacts, ...counted }
  }

  /**
   * Finds the numbers of the contacts that match, newest first. Asks the index, and compares the contacts that it finds
   * and those that are not indexed yet.
   */
  function lookUp(bot: number, term: SearchTerm, most: number, after = startOfContacts): number[] | 'needs_scan' {
    const words = [{ ...term.text, digits: term.digits ?? '' }, ...(term.others ?? [])].map(word => Object.values(word))
    // Below three characters there is no trigram to look up. The contacts that are found are compared with all words.
    const lookedUp = words.filter(parts => parts.every(part => part === '' || [...part].length >= 3))
    if (lookedUp.length === 0) return 'needs_scan'
    const numbersOf = (rows: NumberRow[]) => rows.map(({ number }) => number)
    const found = numbersOf(matches.all(lookedUp.map(parts => `(${toMatch(bot, parts)})`).join(' AND '), most + 1))
    const left = numbersOf(queued.all(bot, maxQueued + 1))
    if (found.length > most || left.length > maxQueued) return 'needs_scan'
    const numbers = JSON.stringify([...new Set([...found, ...left])])
    const { createdAt, id } = after
    return numbersOf(filterCandidates.all({ numbers, bot, createdAt, id, ...parametersOf(term) }))
  }

  function readIndexed({ number }: BotRow, wanted: Search, most: number): Found | 'needs_scan' {
    const found = lookUp(number, wanted, most)
    if (found === 'needs_scan') return 'needs_scan'
    const counted = countedTotal(found.length, limits.maxCounted)
    const { start, end } = pageWithin(counted.total, wanted)
    return { contacts: page.all(JSON.stringify(found.slice(start, end))), ...counted }
  }

  function search({ organizationId, botId }: BotScope, wanted: Search, mayScan: boolean): Found | 'needs_scan' {
    const found = bot.get(botId, organizationId)
    if (!found) return 'not_found'
    if (matchesNothing(wanted)) return { contacts: [], total: 0 }
    const isAll = matchesAll(wanted)
    if (found.size <= limits.scanned || (isAll && mayScan)) return scan(found, wanted, isAll)
    if (isAll) return isDeep(found.size, wanted) ? 'needs_scan' : scan(found, wanted, isAll)
    const most = mayScan ? Math.floor(found.size / rowsPerLookup) : limits.indexed
    const answer = readIndexed(found, wanted, most)
    return mayScan && answer === 'needs_scan' ? scan(found, wanted, isAll) : answer
  }

  function list({ organizationId, botId }: BotScope, wanted: ContactPageStart): ListedContacts | 'not_found' {
    const { after, limit } = wanted
    const found = bot.get(botId, organizationId)
    if (!found) return 'not_found'
    if (matchesNothing(wanted)) return { contacts: [], next: null }
    const { number, size } = found
    const isAll = matchesAll(wanted)
    const isCompared = isAll || after?.usesScan || size <= limits.scanned
    const numbers = isCompared ? 'needs_scan' : lookUp(number, wanted, limits.indexed, after)
    // One contact more than the limit shows whether there is a next page.
    if (numbers !== 'needs_scan') return toList(page.all(JSON.stringify(numbers.slice(0, limit + 1))), limit, false)
    const { createdAt, id } = after ?? startOfContacts
    const from = { bot: number, createdAt, id, step: isAll ? limit + 1 : limits.step }
    const rows = step.all({ ...from, isAll: isAll ? 1 : 0, ...parametersOf(wanted), count: limit + 1 })
    if (isAll || rows.length > limit) return toList(rows, limit, !isAll)
    const end = endOfStep.get(from)
    return { contacts: rows, next: end ? { ...end, usesScan: true } : null }
  }

  /** Whether a page of all contacts is far from both ends. */
  function isDeep(size: number, wanted: { page: number; limit: number }): boolean {
    const { start, end } = pageWithin(size, wanted)
    return Math.min(start, size - end) > limits.scanned * 10
  }

  return {
    searchIndexed: (scope, wanted) => inOneSnapshot(db, () => search(scope, wanted, false)),
    searchScan: (scope, wanted) => inOneSnapshot(db, () => search(scope, wanted, true)) as Promise<Found>,
    listContacts: (scope, wanted) => inOneSnapshot(db, () => list(scope, wanted)),
  }
}

interface NumberRow {
  number: number
}

interface BotRow {
  number: number
  size: number
}

const parametersOf = ({ text, digits = '', others = [] }: SearchTerm) => ({
  ...text,
  digits,
  others: JSON.stringify(others.map(word => ({ digits: '', ...word }))),
})

function pageOf(numbers: string): string {
  return `SELECT ${contactColumns} FROM contacts WHERE number IN (${numbers}) ORDER BY created_at DESC, id DESC`
}
