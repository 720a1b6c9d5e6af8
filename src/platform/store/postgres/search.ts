import type { Contact } from '../../../contract/index.ts'
import type { Database, Queries } from '../database.ts'
import { contactColumns } from '../queries/contacts.ts'
import { countedTotal, matchesAll, matchesNothing, pageWithin, startOfContacts, toList } from '../searchRules.ts'
import type { BotScope, ContactPosition, ContactStore, FoundContacts, SearchTerm } from '../store.ts'
import { isTimeout } from './errors.ts'
import { defaultScanLimits, type ScanLimits } from './scanLimits.ts'
import { type TermPieces, toTermPieces } from './searchPieces.ts'

type ContactSearch = Pick<ContactStore, 'searchContacts' | 'listContacts'>

/** How many contacts a search compares with the term to estimate how many match. */
const probedContacts = 2000
/** From so many matches among them on, the search does not use the index, which would find far too many contacts. */
const scanFromMatches = 40
/** How many contacts show which pieces of a term are rare. */
const sampledContacts = 200
/** How many of the rarest pieces the index is asked for. Each further piece costs time. */
const fewPieces = 6
/**
 * How many pieces it is asked for if none of them occurs in the sample. Then nothing shows which are the rarest, and a
 * wrong choice costs more than further pieces.
 */
const manyPieces = 24

const newestFirst = 'ORDER BY created_at DESC, id DESC'

const bot = `SELECT (SELECT coalesce(sum(contacts), 0)::bigint FROM contact_counts WHERE bot_id = bots.id) AS size
  FROM bots WHERE id = $1 AND organization_id = $2`

/** Skips the rows before the page by the index alone. */
const pageOfAll = (order: 'ASC' | 'DESC') => `SELECT ${contactColumns} FROM
    (SELECT id FROM contacts WHERE bot_id = $1 ORDER BY created_at ${order}, id ${order} LIMIT $2 OFFSET $3) page
  JOIN contacts USING (id) ${newestFirst}`
const fromNewest = pageOfAll('DESC')
const fromOldest = pageOfAll('ASC')

const after = 'bot_id = $1 AND (created_at, id) < ($2, $3)'
const listOfAll = `SELECT ${contactColumns} FROM contacts WHERE ${after} ${newestFirst} LIMIT $4`
const endOfScan = `SELECT created_at AS "createdAt", id FROM contacts WHERE ${after} ${newestFirst} OFFSET $4::bigint - 1 LIMIT 1`

/** Whether a contact also has the other words of a query, given as patterns. */
const hasOthers = (others: string) => `NOT EXISTS (
  SELECT 1 FROM jsonb_to_recordset(${others}::jsonb) AS other (name text, rest text, digits text)
  WHERE (name_text LIKE name OR rest_text LIKE rest OR digits_text LIKE digits) IS NOT TRUE)`
const matches = `(name_text LIKE $4 OR rest_text LIKE $5 OR digits_text LIKE $6) AND ${hasOthers('$7')}`
/** Samples the newest and the oldest contacts: an import may have made the newest ones unlike all others. */
const sampleOf = (columns: string, size: number): string => {
  const fromEnd = (order: 'ASC' | 'DESC') =>
    `(SELECT ${columns} FROM contacts WHERE bot_id = $1 ORDER BY created_at ${order}, id ${order} LIMIT ${size / 2})`
  return `(${fromEnd('DESC')} UNION ALL ${fromEnd('ASC')}) sample`
}
const probe = `SELECT count(*) AS hits FROM ${sampleOf('name_text, rest_text, digits_text', probedContacts)}
  WHERE (name_text LIKE $2 OR rest_text LIKE $3 OR digits_text LIKE $4) AND ${hasOthers('$5')}`
const countPieces = `SELECT piece, count(*) AS uses FROM
    (SELECT unnest(pieces) AS piece FROM ${sampleOf('pieces', sampledContacts)}) seen
  WHERE piece = ANY ($2::integer[]) GROUP BY piece`
/** The inner LIMIT keeps PostgreSQL from choosing another plan. */
const scan = pageOf(`SELECT id, created_at FROM (SELECT * FROM contacts WHERE ${after} ${newestFirst} LIMIT $10) newest
  WHERE ${matches} ${newestFirst} LIMIT $11`)
/** Without ORDER BY and LIMIT, since with them PostgreSQL may read all contacts in their order instead. */
const lookUp = pageOf(`SELECT id, created_at FROM contacts WHERE ${after} AND (
  (pieces @> $10::integer[] AND name_text LIKE $4) OR
  (pieces @> $11::integer[] AND (rest_text LIKE $5 OR digits_text LIKE $6)) OR
  (pieces @> $12::integer[] AND digits_text LIKE $6)) AND ${hasOthers('$7')}`)

/** Selects page $8, of $9 contacts each, of what a statement finds. */
function pageOf(found: string): string {
  return `WITH found AS MATERIALIZED (${found}), total AS (SELECT count(*) AS size FROM found)
    SELECT total.size, ${contactColumns} FROM total
      LEFT JOIN LATERAL (SELECT id AS found_id FROM found ${newestFirst}
        LIMIT $9 OFFSET ($8::bigint - 1) * $9::bigint) page ON true
      LEFT JOIN contacts ON contacts.id = page.found_id ${newestFirst}`
}

export function search(db: Database, limits: ScanLimits = defaultScanLimits): ContactSearch {
  const most = limits.maxCounted
  return {
    searchContacts: (scope, wanted) =>
      db.transact(
        async tx => {
          const size = await countContacts(tx, scope)
          if (size === undefined) return 'not_found'
          if (matchesNothing(wanted)) return { contacts: [], total: 0 }
          const { page, limit, ...term } = wanted
          if (matchesAll(term)) return readPage(tx, scope, size, { page, limit })
          const pieces = await piecesToLookUp(tx, scope, term, size, limits)
          const values = [...valuesOf(scope, startOfContacts, term), page, limit]
          const looked = pieces && (await lookUpInTime(tx, limits, [...values, ...pieces]))
          const { contacts, found } = looked ?? (await read(tx, scan, [...values, limits.page, most + 1]))
          const counted = countedTotal(found, most, looked !== undefined || size <= limits.page)
          const { start, end } = pageWithin(counted.total, wanted)
          return { contacts: contacts.slice(0, end - start), ...counted }
        },
        { isSnapshot: true },
      ),
    listContacts: (scope, wanted) =>
      db.transact(
        async tx => {
          const size = await countContacts(tx, scope)
          if (size === undefined) return 'not_found'
          if (matchesNothing(wanted)) return { contacts: [], next: null }
          const { after = startOfContacts, limit, ...term } = wanted
          if (matchesAll(term)) {
            const rows = await tx.all<Contact>(listOfAll, [scope.botId, after.createdAt, after.id, limit + 1])
            return toList(rows, limit, false)
          }
          const pieces = after.usesScan ? undefined : await piecesToLookUp(tx, scope, term, size, limits)
          // One contact more than the limit shows whether there is a next page.
          const values = [...valuesOf(scope, after, term), 1, limit + 1]
          const looked = pieces && (await lookUpInTime(tx, limits, [...values, ...pieces]))
          if (looked) return toList(looked.contacts, limit, looked.found > most)
          const { contacts } = await read(tx, scan, [...values, limits.step, limit + 1])
          if (contacts.length > limit) return toList(contacts, limit, true)
          const end = await tx.one<{ createdAt: string; id: string }>(endOfScan, [
            scope.botId,
            after.createdAt,
            after.id,
            limits.step,
          ])
          return { contacts, next: end ? { ...end, usesScan: true } : null }
        },
        { isSnapshot: true },
      ),
  }
}

/** The number of the bot's contacts; `undefined` if the organization has no such bot. */
async function countContacts(tx: Queries, { organizationId, botId }: BotScope): Promise<number | undefined> {
  return (await tx.one<{ size: number }>(bot, [botId, organizationId]))?.size
}

/** Reads a page of all contacts, from the end that is nearer to it. */
async function readPage(
  tx: Queries,
  { botId }: BotScope,
  total: number,
  wanted: { page: number; limit: number },
): Promise<FoundContacts> {
  const { start, end } = pageWithin(total, wanted)
  const contacts =
    start <= total - end
      ? await tx.all<Contact>(fromNewest, [botId, end - start, start])
      : await tx.all<Contact>(fromOldest, [botId, end - start, total - end])
  return { contacts, total }
}

/** The pieces of the name, of other fields and of digits: values for `lookUp`. */
type LookedUp = [name: number[] | null, rest: number[] | null, digits: number[] | null]

/** Resolves to the pieces to ask the index for; `undefined` if comparing contacts one by one is faster. */
async function piecesToLookUp(
  tx: Queries,
  scope: BotScope,
  term: SearchTerm,
  size: number,
  { smallBot }: ScanLimits,
): Promise<LookedUp | undefined> {
  const pieces = size > smallBot ? toTermPieces(scope.botId, term) : undefined
  if (!pieces) return undefined
  const found = await tx.one<{ hits: number }>(probe, [scope.botId, ...patternsOf(term)])
  if ((found?.hits ?? 0) >= scanFromMatches) return undefined
  return toArrays(pieces, await countUses(tx, scope, pieces))
}

/** Counts how often pieces occur in a sample. Counts nothing if all pieces are used anyway. */
async function countUses(
  tx: Queries,
  { botId }: BotScope,
  { name, rest, digits }: TermPieces,
): Promise<Map<number, number>> {
  if (Math.max(name.length, rest.length, digits.length) <= fewPieces) return new Map()
  const rows = await tx.all<{ piece: number; uses: number }>(countPieces, [botId, [...name, ...rest, ...digits]])
  return new Map(rows.map(({ piece, uses }) => [piece, uses]))
}

/** The rarest pieces of each part; `null` for a part without pieces, which matches nothing. */
function toArrays({ name, rest, digits }: TermPieces, uses: Map<number, number>): LookedUp {
  const usesOf = (piece: number): number => uses.get(piece) ?? 0
  const rarest = (pieces: number[]): number[] | null => {
    if (pieces.length === 0) return null
    const unused = pieces.filter(piece => usesOf(piece) === 0)
    if (unused.length > fewPieces) return spread(unused, manyPieces)
    return pieces.toSorted((a, b) => usesOf(a) - usesOf(b)).slice(0, fewPieces)
  }
  // The condition for `rest` covers digits with the same pieces.
  return [rarest(name), rarest(rest), String(rest) === String(digits) ? null : rarest(digits)]
}

/** Picks at most `most` items, evenly spread over the list. */
function spread<Item>(items: Item[], most: number): Item[] {
  const step = Math.max(1, items.length / most)
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}

/** Asks the index. Resolves to `undefined` if that takes too long. */
async function lookUpInTime(tx: Queries, { lookUpMs }: ScanLimits, values: unknown[]): Promise<Read | undefined> {
  await tx.all('SAVEPOINT look_up')
  try {
    await tx.all(`SELECT set_config('statement_timeout', $1, true)`, [String(lookUpMs)])
    return await read(tx, lookUp, values)
  } catch (error) {
    if (!isTimeout(error)) throw error
    await tx.all('ROLLBACK TO SAVEPOINT look_up')
    return undefined
  }
}

interface Read {
  contacts: Contact[]
  found: number
}

async function read(tx: Queries, statement: string, values: unknown[]): Promise<Read> {
  const rows = await tx.all<Contact & { size: number }>(statement, values)
  const contacts = rows.map(({ size: _, ...contact }) => contact).filter(({ id }) => id !== null)
  return { contacts, found: rows[0]?.size ?? 0 }
}

function valuesOf({ botId }: BotScope, { createdAt, id }: ContactPosition, term: SearchTerm) {
  return [botId, createdAt, id, ...patternsOf(term)]
}

const patternsOf = ({ text, digits = '', others = [] }: SearchTerm) => [
  ...[text.name, text.rest, digits].map(toPattern),
  JSON.stringify(
    others.map(({ name, rest, digits = '' }) => ({
      name: toPattern(name),
      rest: toPattern(rest),
      digits: toPattern(digits),
    })),
  ),
]

/** An empty term matches nothing: NULL is not like any text. */
function toPattern(term: string): string | null {
  return term === '' ? null : `%${term.replace(/[\\%_]/g, '\\$&')}%`
}
