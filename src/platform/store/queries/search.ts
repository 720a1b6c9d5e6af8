import type { Contact } from '../../../contract/index.ts'
import { hasTrigram } from '../../search/searchNormalization.ts'
import type { ContactSource, Database, Dialect, Queries, SearchDialect } from '../database.ts'
import type { BotScope, ContactPosition, FoundContacts, ListedContacts, SearchTerm, Store } from '../store.ts'
import { afterAllTimes } from './common.ts'
import { contactColumns } from './contacts.ts'

const newestFirst = 'ORDER BY created_at DESC, id DESC'
const after = 'bot_id = $1 AND (created_at, id) < ($2, $3)'

const countContacts = `SELECT (SELECT sum(contacts) FROM contact_counts WHERE bot_id = bots.id)::bigint AS size
  FROM bots WHERE id = $1 AND organization_id = $2`
/** Skips the rows before the page by the index alone. */
const pageOfAll = (order: 'ASC' | 'DESC') => `SELECT ${contactColumns} FROM
    (SELECT id AS found_id FROM contacts WHERE bot_id = $1 ORDER BY created_at ${order}, id ${order} LIMIT $2 OFFSET $3) page
  JOIN contacts ON id = found_id ${newestFirst}`
const fromNewest = pageOfAll('DESC')
const fromOldest = pageOfAll('ASC')
const listOfAll = `SELECT ${contactColumns} FROM contacts WHERE ${after} ${newestFirst} LIMIT $4`
const endOfStep = `SELECT created_at AS "createdAt", id FROM contacts WHERE ${after} ${newestFirst} LIMIT 1 OFFSET $4`

/** All contacts of the bot. */
export const everyone: ContactSource = { from: () => 'contacts' }
/** The next contacts in the order of the list. */
const nextStep = (step: number): ContactSource => ({
  from: size => `(SELECT * FROM contacts WHERE ${after} ${newestFirst} LIMIT ${size}) AS step`,
  value: step,
})

/** The position before the newest contact. */
const startOfContacts: ContactPosition = { createdAt: afterAllTimes, id: '', usesScan: false }

/** Whether no contact can match: no field contains control characters. */
export const matchesNothing = ({ words }: SearchTerm): boolean =>
  words.some(({ name, rest }) => /\p{Cc}/u.test(name + rest))

/** Asks the index for contacts; `undefined` if it cannot help, or if comparing one by one is faster. */
export async function lookUpContacts(
  dialect: SearchDialect,
  tx: Queries,
  { words }: SearchTerm,
  size: number,
): Promise<ContactSource | undefined> {
  const forms = words.map(({ name, rest, digits = '' }) => [name, rest, digits].filter(form => form !== ''))
  const lookedUp = forms.filter(each => each.every(hasTrigram))
  return lookedUp.length === 0 ? undefined : dialect.lookUp(tx, lookedUp, size)
}

/** The condition that a contact matches. It ends the statement at the deadline. */
export function contactMatchSql(
  dialect: SearchDialect,
  { words }: SearchTerm,
  placeholder: (value: unknown) => string,
): string {
  const contains = (column: string, form: string) =>
    dialect.contains(column, placeholder(form === '' ? null : dialect.toValue(form)))
  const conditions = words.map(
    ({ name, rest, digits = '' }) =>
      `(${contains('name_text', name)} OR ${contains('rest_text', rest)} OR ${contains('digits_text', digits)})`,
  )
  return [dialect.isInTime('number'), ...conditions].join(' AND ')
}

/** The first index of a page and the one after its last; both are the total if the page is beyond the last one. */
function pageWithin(total: number, { page, limit }: { page: number; limit: number }): { start: number; end: number } {
  const start = Math.min((page - 1) * limit, total)
  return { start, end: Math.min(start + limit, total) }
}

/** The total of a search that found so many contacts, of which it counts `most`. */
const countedTotal = (found: number, most: number): { total: number; totalIsExact?: false } =>
  found <= most ? { total: found } : { total: most, totalIsExact: false }

/** Makes a page of a list from its rows. One row more than the limit means that there is a next page. */
function toList(rows: Contact[], limit: number, usesScan: boolean): ListedContacts {
  const contacts = rows.slice(0, limit)
  const last = rows.length > limit ? contacts.at(-1) : undefined
  return { contacts, next: last ? { createdAt: last.createdAt, id: last.id, usesScan } : null }
}

export function search(db: Database, { limits: { maxCounted, step }, search: dialect }: Dialect) {
  async function sizeOf(tx: Queries, { botId, organizationId }: BotScope): Promise<number | undefined> {
    const bot = await tx.one<{ size: number | null }>(countContacts, [botId, organizationId])
    return bot && (bot.size ?? 0)
  }

  /** Finds the contacts that match, up to one more than are counted, and reads a page of them. */
  async function find(
    tx: Queries,
    { botId }: BotScope,
    {
      term,
      position = startOfContacts,
      source,
    }: { term: SearchTerm; position?: ContactPosition; source: ContactSource },
    page: { start: number; end: number },
  ): Promise<{ contacts: Contact[]; found: number }> {
    const values: unknown[] = [
      botId,
      position.createdAt,
      position.id,
      maxCounted + 1,
      page.end - page.start,
      page.start,
    ]
    const placeholder = (value: unknown) => `$${values.push(value)}`
    const isMatch = contactMatchSql(dialect, term, placeholder)
    const from = source.from(source.value === undefined ? '' : placeholder(source.value))
    const rows = await tx.all<Contact & { size: number }>(
      `WITH found AS MATERIALIZED
         (SELECT id AS found_id, created_at AS found_at FROM ${from}
          WHERE ${after} AND ${isMatch} ${newestFirst} LIMIT $4)
       SELECT total.size, ${contactColumns} FROM (SELECT count(*) AS size FROM found) total
         LEFT JOIN (SELECT found_id FROM found ORDER BY found_at DESC, found_id DESC LIMIT $5 OFFSET $6) page ON true
         LEFT JOIN contacts ON id = found_id ${newestFirst}`,
      values,
    )
    const contacts = rows.map(({ size: _, ...contact }) => contact).filter(({ id }) => id !== null)
    return { contacts, found: rows[0]?.size ?? 0 }
  }

  return {
    searchContacts: (scope, wanted) =>
      db.transact(
        async (tx): Promise<FoundContacts | 'not_found'> => {
          const size = await sizeOf(tx, scope)
          if (size === undefined) return 'not_found'
          if (matchesNothing(wanted)) return { contacts: [], total: 0 }
          if (wanted.words.length === 0) {
            const { start, end } = pageWithin(size, wanted)
            // From the end that is nearer to the page.
            const isNearNewest = start <= size - end
            const values = [scope.botId, end - start, isNearNewest ? start : size - end]
            return { contacts: await tx.all<Contact>(isNearNewest ? fromNewest : fromOldest, values), total: size }
          }
          const source = (await lookUpContacts(dialect, tx, wanted, size)) ?? everyone
          const { contacts, found } = await find(tx, scope, { term: wanted, source }, pageWithin(maxCounted, wanted))
          return { contacts, ...countedTotal(found, maxCounted) }
        },
        { isSnapshot: true },
      ),
    listContacts: (scope, wanted) =>
      db.transact(
        async tx => {
          const size = await sizeOf(tx, scope)
          if (size === undefined) return 'not_found'
          if (matchesNothing(wanted)) return { contacts: [], next: null }
          const { after: position = startOfContacts, limit } = wanted
          const from = [scope.botId, position.createdAt, position.id]
          // One contact more than the limit shows whether there is a next page.
          if (wanted.words.length === 0)
            return toList(await tx.all<Contact>(listOfAll, [...from, limit + 1]), limit, false)
          const page = { start: 0, end: limit + 1 }
          const source = position.usesScan ? undefined : await lookUpContacts(dialect, tx, wanted, size)
          const read = { term: wanted, position, source: source ?? nextStep(step) }
          const { contacts, found } = await find(tx, scope, read, page)
          if (source) return toList(contacts, limit, found > maxCounted)
          if (contacts.length > limit) return toList(contacts, limit, true)
          const end = await tx.one<{ createdAt: string; id: string }>(endOfStep, [...from, step - 1])
          return { contacts, next: end ? { ...end, usesScan: true } : null }
        },
        { isSnapshot: true },
      ),
  } satisfies Partial<Store>
}
