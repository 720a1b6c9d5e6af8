import { mapInSlices } from '../../mapInSlices.ts'
import { normalizeContact, type SearchedFields } from '../../search/searchNormalization.ts'
import type { BotScope, ContactRow } from '../store.ts'
import type { Queries } from './connection.ts'
import { toPieces } from './searchPieces.ts'

const types = `id text, email_key text, name text, email text, phone text, mid text, wid text, created_at text,
  updated_at text, name_text text, rest_text text, digits_text text, pieces integer[]`

/** The longest list of rows, in characters of JSON, that one statement takes. Others wait while it is encoded and sent. */
const longestList = 2_000_000

/** Inserts the contacts whose email is free, ordered by email to avoid deadlocks. Resolves to how many those are. */
export async function insertContacts(tx: Queries, scope: BotScope, rows: ContactRow[]): Promise<number> {
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

/** Updates contacts of the bot. The caller has locked their rows. */
export async function updateContacts(tx: Queries, { botId }: BotScope, rows: ContactRow[]): Promise<void> {
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
