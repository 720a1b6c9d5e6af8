import { hasTrigram } from '../../search/searchNormalization.ts'
import type { Database, Dialect, Queries } from '../database.ts'
import type { DeskListFilter, DeskSearchPlace, DeskStore, ListPlace, SearchTerm } from '../store.ts'
import { afterAllTimes } from './common.ts'
import { filterSql, findPlaces, readConversations } from './desk.ts'
import { contactMatchSql, everyone, lookUpContacts, matchesNothing } from './search.ts'

/** A conversation that a message has found. */
interface FoundByMessage extends ListPlace {
  number: number
  text: string
}

/** The place before the latest results. */
const start: DeskSearchPlace = { contact: { at: afterAllTimes, id: '' }, message: Number.MAX_SAFE_INTEGER }

export function deskSearch(db: Database, { limits, search: dialect }: Dialect): Pick<DeskStore, 'searchConversations'> {
  /** Finds conversations by their contacts. Those with the latest message come first. */
  async function findByContact(
    tx: Queries,
    filter: DeskListFilter,
    term: SearchTerm,
    { place, limit }: { place: ListPlace; limit: number },
  ): Promise<ListPlace[]> {
    const { botIds } = filter
    const counted = await tx.one<{ size: number | null }>(
      'SELECT sum(contacts)::bigint AS size FROM contact_counts WHERE bot_id = ANY ($1)',
      [botIds],
    )
    const source = (await lookUpContacts(dialect, tx, term, counted?.size ?? 0)) ?? everyone
    const values: unknown[] = [botIds, limits.contactsPerSearch + 1]
    const placeholder = (value: unknown) => `$${values.push(value)}`
    const from = source.from(source.value === undefined ? '' : placeholder(source.value))
    const contacts = await tx.all<{ id: string }>(
      `SELECT id FROM ${from} WHERE bot_id = ANY ($1) AND ${contactMatchSql(dialect, term, placeholder)} LIMIT $2`,
      values,
    )
    if (contacts.length > limits.contactsPerSearch)
      // So many match that a page is soon full in the order of the list.
      return findPlaces(tx, botIds, {
        column: 'last_message_at',
        order: 'DESC',
        condition: each =>
          `${filterSql(filter, each)} AND EXISTS
             (SELECT 1 FROM contacts WHERE id = contact_id AND ${contactMatchSql(dialect, term, each)})`,
        place,
        limit,
      })
    const of: unknown[] = [contacts.map(({ id }) => id), place.at, place.id, limit]
    const isListed = filterSql(filter, value => `$${of.push(value)}`)
    return tx.all<ListPlace>(
      `SELECT id, last_message_at AS at FROM conversations
       WHERE contact_id = ANY ($1) AND (last_message_at, id) < ($2, $3) AND ${isListed}
       ORDER BY last_message_at DESC, id DESC LIMIT $4`,
      of,
    )
  }

  /** Finds conversations by their latest message with all words. `last`: how far the messages were read, if there may be more. */
  async function findByMessage(
    tx: Queries,
    filter: DeskListFilter,
    { words }: SearchTerm,
    { before, limit }: { before: number; limit: number },
  ): Promise<{ found: FoundByMessage[]; last: number | undefined }> {
    const names = words.map(({ name }) => name)
    const { botIds } = filter
    const most = limits.messagesPerSearch
    const numbers = await dialect.lookUpMessages(tx, names.filter(hasTrigram), { botIds, before, limit: most })
    const values: unknown[] = [numbers, botIds, limit]
    const placeholder = (value: unknown) => `$${values.push(value)}`
    const forms = names.map(name => placeholder(dialect.toValue(name)))
    const hasAll = (table: string) => forms.map(form => dialect.contains(`${table}.text`, form)).join(' AND ')
    const found = await tx.all<FoundByMessage>(
      `SELECT v.id, m.created_at AS at, t.number, m.text FROM message_texts t
         JOIN conversations v ON v.id = t.conversation_id
         JOIN messages m ON m.conversation_id = t.conversation_id AND m.seq = t.seq
       WHERE t.number = ANY ($1::bigint[]) AND v.bot_id = ANY ($2) AND ${hasAll('t')} AND ${filterSql(filter, placeholder)}
         AND NOT EXISTS (SELECT 1 FROM message_texts n
           WHERE n.conversation_id = t.conversation_id AND n.seq > t.seq AND ${hasAll('n')})
       ORDER BY t.number DESC LIMIT $3`,
      values,
    )
    return { found, last: numbers.length === most ? numbers.at(-1) : undefined }
  }

  return {
    searchConversations: (_, filter, term, { after = start, limit }) =>
      db.transact(
        async tx => {
          if (matchesNothing(term)) return { matches: [], next: null }
          // One more than the limit shows whether there is a next page.
          const most = limit + 1
          const byContact = await findByContact(tx, filter, term, { place: after.contact, limit: most })
          const { found: byMessage, last } = await findByMessage(tx, filter, term, {
            before: after.message,
            limit: most,
          })
          const { page, contacts, messages } = mergeLatest(byContact, byMessage, limit)
          const isFull = contacts < byContact.length || messages < byMessage.length
          const texts = new Map<string, string[]>([
            ...byMessage.map(({ id, text }): [string, string[]] => [id, [text]]),
            ...(await textsOfContacts(tx, byContact)),
          ])
          // One that was found twice keeps its first place.
          const conversations = await readConversations(tx, [...new Map(page.map(place => [place.id, place])).values()])
          return {
            matches: conversations.map(conversation => ({ conversation, texts: texts.get(conversation.id) ?? [] })),
            next:
              isFull || last !== undefined
                ? {
                    contact: byContact[contacts - 1] ?? after.contact,
                    message: (isFull ? byMessage[messages - 1]?.number : last) ?? after.message,
                  }
                : null,
          }
        },
        { isSnapshot: true },
      ),
  }
}

/** Merges two lists up to a limit, and keeps the order of each. Returns how many of each were taken, too. */
function mergeLatest(byContact: ListPlace[], byMessage: FoundByMessage[], limit: number) {
  const page: ListPlace[] = []
  let [contacts, messages] = [0, 0]
  while (page.length < limit) {
    const [contact, message] = [byContact[contacts], byMessage[messages]]
    if (!contact && !message) break
    const isContact = contact !== undefined && (message === undefined || contact.at >= message.at)
    page.push((isContact ? contact : message) as ListPlace)
    if (isContact) contacts++
    else messages++
  }
  return { page, contacts, messages }
}

/** The texts of the contacts of conversations, by the conversation. */
async function textsOfContacts(tx: Queries, found: ListPlace[]): Promise<[id: string, texts: string[]][]> {
  const rows = await tx.all<Record<'id' | 'name' | 'email' | 'phone' | 'mid' | 'wid', string>>(
    `SELECT v.id, c.name, c.email, c.phone, c.mid, c.wid FROM conversations v JOIN contacts c ON c.id = v.contact_id
     WHERE v.id = ANY ($1)`,
    [found.map(({ id }) => id)],
  )
  return rows.map(({ id, ...fields }) => [id, Object.values(fields)])
}
