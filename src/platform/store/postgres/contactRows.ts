import { mapInSlices } from '../../mapInSlices.ts'
import { normalizeContact, type SearchedFields } from '../../search/searchNormalization.ts'
import type { ContactRows, Queries } from '../database.ts'
import type { BotScope, ContactRow } from '../store.ts'
import { toPieces } from './searchPieces.ts'

const types = `id text, email_key text, name text, email text, phone text, mid text, wid text, created_at text,
  updated_at text, name_text text, rest_text text, digits_text text, pieces integer[]`

/** The longest list of rows, in characters of JSON, that one statement takes. Others wait while it is encoded and sent. */
const longestList = 2_000_000

export const contactRows: ContactRows = { insert, update, lockEmails }

/** Ordered by email to avoid deadlocks. */
async function insert(tx: Queries, scope: BotScope, rows: ContactRow[]): Promise<number> {
  // The keys of emails are ASCII, so this is also the order of `COLLATE "C"`.
  const ordered = rows.toSorted((a, b) => (a.emailKey < b.emailKey ? -1 : 1))
  let inserted = 0
  for (const list of await toJsonLists(scope.botId, ordered)) {
    const ids = await tx.all(
      `INSERT INTO contacts (organization_id, bot_id, id, email_key, name, email, phone, mid, wid, created_at, updated_at,
         name_text, rest_text, digits_text, pieces)
       SELECT $1, $2, r.* FROM json_to_recordset($3) AS r (${types}) ORDER BY email_key COLLATE "C"
       ON CONFLICT ON CONSTRAINT contacts_email DO NOTHING RETURNING id`,
      [scope.organizationId, scope.botId, list],
    )
    inserted += ids.length
  }
  return inserted
}

async function update(tx: Queries, { botId }: BotScope, rows: ContactRow[]): Promise<void> {
  for (const list of await toJsonLists(botId, rows)) {
    await tx.all(
      `UPDATE contacts c SET email_key = r.email_key, name = r.name, email = r.email, phone = r.phone, mid = r.mid,
         wid = r.wid, updated_at = r.updated_at, name_text = r.name_text, rest_text = r.rest_text,
         digits_text = r.digits_text, pieces = r.pieces
       FROM json_to_recordset($1) AS r (${types}) WHERE c.id = r.id`,
      [list],
    )
  }
}

/**
 * An advisory lock, because those are granted in the order of the requests: a row lock could be shared again and again while
 * another transaction waits to have it exclusively. The statement timeout ends the wait: it is the time that the caller had
 * left when the transaction began.
 */
async function lockEmails(tx: Queries, { organizationId }: BotScope, mode: 'shared' | 'exclusive'): Promise<void> {
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
  await tx.all(`SELECT ${lock}(hashtextextended('emails of ' || $1, 0))`, [organizationId])
}

/** The rows as JSON lists, which are usually one. */
async function toJsonLists(botId: string, rows: ContactRow[]): Promise<string[]> {
  const lists: string[][] = []
  let length = longestList
  for (const json of await mapInSlices(rows, row => JSON.stringify(toRecord(botId, row)))) {
    length += json.length
    if (length > longestList) {
      lists.push([])
      length = json.length
    }
    lists.at(-1)?.push(json)
  }
  return lists.map(list => `[${list.join(',')}]`)
}

function toRecord(botId: string, row: ContactRow): Record<string, unknown> {
  const { id, emailKey: email_key, name, email, phone, mid, wid, createdAt: created_at, updatedAt: updated_at } = row
  const fields = { id, email_key, name, email, phone, mid, wid, created_at, updated_at }
  return { ...fields, ...toSearchColumns(botId, row) }
}

/** The columns of a contact that only searches read. */
export function toSearchColumns(botId: string, fields: SearchedFields): Record<string, unknown> {
  const text = normalizeContact(fields)
  const { name: name_text, rest: rest_text, digits: digits_text } = text
  return { name_text, rest_text, digits_text, pieces: toPieces(botId, text) }
}
