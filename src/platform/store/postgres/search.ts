import type { Contact } from '../../../contract/index.ts'
import type { Store } from '../store.ts'
import type { Database } from './connection.ts'
import { contactColumns, hasBot } from './contacts.ts'

type ContactSearch = Pick<Store, 'searchContacts'>

/** No field contains one, so a query with one finds nothing. */
const controls = /\p{Cc}/u

/** The offset of the page; of the last page if there is no such page. */
const skipped = 'least($1::bigint - 1, greatest(0, (total.size - 1) / $2::bigint)) * $2::bigint'
const page = `SELECT total.size, ${contactColumns}
   FROM total LEFT JOIN LATERAL (SELECT * FROM found ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET ${skipped}) page
   ON true ORDER BY created_at DESC, id DESC`
const all = `WITH total AS (SELECT count(*) AS size FROM contacts WHERE bot_id = $3),
   found AS NOT MATERIALIZED (SELECT * FROM contacts WHERE bot_id = $3)
 ${page}`
const held = `WITH found AS MATERIALIZED (
   SELECT id, name, email, phone, mid, wid, created_at, updated_at FROM contacts
   WHERE bot_id = $3 AND (name_text LIKE $4 OR rest_text LIKE $5 OR digits_text LIKE $6)),
 total AS (SELECT count(*) AS size FROM found)
 ${page}`

export function search(db: Database): ContactSearch {
  return {
    searchContacts: (scope, { text, digits = '', ...wanted }) =>
      db.transact(
        async tx => {
          if (!(await hasBot(tx, scope))) return 'not_found'
          const { name, rest } = text
          if (controls.test(name + rest)) return { contacts: [], total: 0 }
          const isAll = name === '' && rest === ''
          const terms = isAll ? [] : [name, rest, digits].map(toPattern)
          const rows = await tx.all<Contact & { size: number }>(isAll ? all : held, [
            ...[wanted.page, wanted.limit, scope.botId],
            ...terms,
          ])
          const contacts = rows.map(({ size: _, ...contact }) => contact)
          return { contacts: contacts.filter(({ id }) => id !== null), total: rows[0]?.size ?? 0 }
        },
        { isSnapshot: true },
      ),
  }
}

/** An empty term matches nothing: NULL is not like any text. */
function toPattern(term: string): string | null {
  return term === '' ? null : `%${term.replace(/[\\%_]/g, '\\$&')}%`
}
