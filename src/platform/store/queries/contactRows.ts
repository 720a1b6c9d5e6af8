import { normalizeContact } from '../../search/searchNormalization.ts'
import type { Dialect, Queries } from '../database.ts'
import type { BotScope, ContactRow } from '../store.ts'

const types = `id text, email_key text, name text, email text, phone text, mid text, wid text, created_at text,
  updated_at text, name_text text, rest_text text, digits_text text`

/** The longest list of rows, in characters of JSON, that one statement takes. Others wait while it is encoded and sent. */
const longestList = 2_000_000

/**
 * Inserts the contacts whose email is free, with what searches compare. Resolves to how many those are. Ordered by email to
 * avoid deadlocks.
 */
export async function insertContacts(
  tx: Queries,
  { map }: Dialect,
  { organizationId, botId }: BotScope,
  rows: ContactRow[],
): Promise<number> {
  // The keys of emails are ASCII, so this is also the order of `COLLATE "C"`.
  const ordered = rows.toSorted((a, b) => (a.emailKey < b.emailKey ? -1 : 1))
  let inserted = 0
  for (const list of await toJsonLists(map, ordered)) {
    const ids = await tx.all(
      `INSERT INTO contacts (organization_id, bot_id, id, email_key, name, email, phone, mid, wid, created_at, updated_at,
         name_text, rest_text, digits_text)
       SELECT $1, $2, r.* FROM json_to_recordset($3) AS r (${types}) WHERE true ORDER BY email_key COLLATE "C"
       ON CONFLICT (organization_id, email_key) DO NOTHING RETURNING id`,
      [organizationId, botId, list],
    )
    inserted += ids.length
  }
  return inserted
}

/** Updates contacts, which the caller has locked. */
export async function updateContacts(tx: Queries, { map }: Dialect, rows: ContactRow[]): Promise<void> {
  for (const list of await toJsonLists(map, rows)) {
    await tx.all(
      `UPDATE contacts AS c SET email_key = r.email_key, name = r.name, email = r.email, phone = r.phone, mid = r.mid,
         wid = r.wid, updated_at = r.updated_at, name_text = r.name_text, rest_text = r.rest_text,
         digits_text = r.digits_text
       FROM json_to_recordset($1) AS r (${types}) WHERE c.id = r.id`,
      [list],
    )
  }
}

/** The rows as JSON lists, which are usually one. */
async function toJsonLists(map: Dialect['map'], rows: ContactRow[]): Promise<string[]> {
  const lists: string[][] = []
  let length = longestList
  for (const json of await map(rows, row => JSON.stringify(toRecord(row)))) {
    length += json.length
    if (length > longestList) {
      lists.push([])
      length = json.length
    }
    lists.at(-1)?.push(json)
  }
  return lists.map(list => `[${list.join(',')}]`)
}

function toRecord(row: ContactRow): Record<string, unknown> {
  const { id, emailKey: email_key, name, email, phone, mid, wid, createdAt: created_at, updatedAt: updated_at } = row
  const { name: name_text, rest: rest_text, digits: digits_text } = normalizeContact(row)
  const fields = { id, email_key, name, email, phone, mid, wid, created_at, updated_at }
  return { ...fields, name_text, rest_text, digits_text }
}
