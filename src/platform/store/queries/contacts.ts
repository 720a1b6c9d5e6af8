import { type Attributes, type Contact, type ContactData, contactFields } from '../../../contract/index.ts'
import { normalizeContact } from '../../search/searchNormalization.ts'
import { ConflictRetryError, type Database, type Dialect, parseJson, type Queries } from '../database.ts'
import { omitUndefined } from '../omitUndefined.ts'
import type {
  BotScope,
  ContactChanges,
  ContactErasure,
  ContactRow,
  ContactScope,
  EmailsEnded,
  EmailTaken,
  Store,
  UpsertEntry,
  UpsertProblem,
} from '../store.ts'
import { recordAudit } from './audit.ts'
import { openSessionSql } from './common.ts'
import { eraseResultsOfContact, lockResultsOfContact, storeResult, transactOnce } from './idempotency.ts'
import { type MessageWithContextRecord, messageColumns, toMessageWithContext } from './messages.ts'
import { hasBot } from './organizations.ts'
import { eraseContent } from './purge.ts'
import { type EndColumns, endAllSessions, endGuestSession, lockContact, withEnd } from './sessions.ts'

/** A contact that has an email key which a request names, whichever bot it belongs to. */
interface EmailHolder extends ContactRow {
  botId: string
}

interface UpsertPlan {
  /** The contact of each entry, in the order of the entries. */
  ids: string[]
  /** Contacts to insert, as they are after all entries. */
  added: ContactRow[]
  /** Contacts to update, as they are after all entries; without those that no entry changes. */
  changed: ContactRow[]
}

/** The contact after the changes. Returns the same object if nothing changes. */
function applyChanges<Row extends ContactRow>(before: Row, { updatedAt, emailKey, ...changes }: ContactChanges): Row {
  const present = omitUndefined(changes)
  const isSame = Object.entries(present).every(([name, value]) => value === before[name as keyof ContactRow])
  if (isSame) return before
  const key = emailKey === undefined ? {} : { emailKey }
  return { ...before, ...present, ...key, updatedAt: later(before.updatedAt, updatedAt) }
}

/** Nodes have different clocks, and calls wait: a change may have an earlier time than the one before it. */
const later = (one: string, other: string): string => (one > other ? one : other)

const unset = Object.fromEntries(contactFields.map(name => [name, '']))

/**
 * Plans the writes of an upsert whose entries are applied in order. `holders` are the contacts that have the entries'
 * email keys. If an entry cannot be applied, nothing may be written.
 */
function planUpsert(
  botId: string,
  entries: UpsertEntry[],
  holders: EmailHolder[],
): UpsertPlan | { problems: UpsertProblem[] } {
  const before = new Map<string, ContactRow>(holders.map(contact => [contact.emailKey, contact]))
  const ofOtherBots = new Set(holders.filter(contact => contact.botId !== botId).map(({ emailKey }) => emailKey))
  const after = new Map(before)
  const problems: UpsertProblem[] = []
  for (const [index, entry] of entries.entries()) {
    const { id: _, createdAt: __, email, ...changes } = entry
    const found = after.get(entry.emailKey)
    if (ofOtherBots.has(entry.emailKey)) problems.push({ index, reason: 'email_taken' })
    else if (found)
      after.set(entry.emailKey, applyChanges(found, email === found.email ? changes : { ...changes, email }))
    else if (entry.name === undefined) problems.push({ index, reason: 'name_missing' })
    else after.set(entry.emailKey, { ...unset, ...omitUndefined(entry) } as ContactRow)
  }
  if (problems.length > 0) return { problems }
  const isNew = ({ emailKey }: ContactRow) => !before.has(emailKey)
  return {
    ids: entries.map(({ emailKey }) => after.get(emailKey)?.id ?? ''),
    added: [...after.values()].filter(isNew),
    changed: [...after.values()].filter(contact => !isNew(contact) && contact !== before.get(contact.emailKey)),
  }
}

const fieldColumns = contactFields.join(', ')
export const contactColumns = `id, ${fieldColumns}, created_at AS "createdAt", updated_at AS "updatedAt"`
const rowColumns = `${contactColumns}, email_key AS "emailKey"`
const ofScope = 'id = $1 AND bot_id = $2 AND organization_id = $3'
const valuesOf = ({ organizationId, botId, contactId }: ContactScope) => [contactId, botId, organizationId]

export function contacts(db: Database, dialect: Dialect) {
  return {
    createContact: (scope, contact, request) =>
      transactOnce(db, scope, request, storedContact, async tx => {
        if (!(await hasBot(tx, scope))) return 'not_found'
        if ((await insertContacts(tx, dialect, scope, [contact])) === 0) {
          const taken = await findTaken(tx, scope, contact.emailKey)
          if (!taken) throw new ConflictRetryError('The contact with the email was deleted by another transaction.')
          return taken
        }
        const { emailKey: _, ...created } = contact
        await storeResult(tx, scope, request, created, created.id)
        return { value: created, replayed: false }
      }),
    findContact: async scope =>
      (await db.one<Contact>(`SELECT ${contactColumns} FROM contacts WHERE ${ofScope}`, valuesOf(scope))) ?? null,
    findContactByEmail: async ({ organizationId, botId }, emailKey) =>
      (await db.one<Contact>(
        `SELECT ${contactColumns} FROM contacts WHERE organization_id = $1 AND email_key = $2 AND bot_id = $3`,
        [organizationId, emailKey, botId],
      )) ?? null,
    async findContactAttributes(scope) {
      const select = `SELECT attributes FROM contacts WHERE ${ofScope}`
      const row = await db.one<{ attributes: string | null }>(select, valuesOf(scope))
      return row ? (parseJson<Attributes>(row.attributes) ?? {}) : null
    },
    setContactAttributes: (scope, attributes, request) =>
      transactOnce(db, scope, request, noValue, async tx => {
        const update = `UPDATE contacts SET attributes = $4 WHERE ${ofScope} RETURNING id`
        if (!(await tx.one(update, [...valuesOf(scope), JSON.stringify(attributes)]))) return 'not_found'
        await storeResult(tx, scope, request, 'set', scope.contactId)
        return { value: undefined, replayed: false }
      }),
    updateContact: (scope, changes, request) =>
      transactOnce(db, scope, request, noValue, async tx => {
        const isMoving = await movesEmail(tx, scope, changes)
        if (isMoving) await dialect.lockEmails(tx, scope, 'exclusive')
        const lock = `SELECT ${rowColumns} FROM contacts WHERE ${ofScope} FOR UPDATE`
        const before = await tx.one<ContactRow>(lock, valuesOf(scope))
        if (!before) return 'not_found'
        const { emailKey } = before
        const wanted = changes.emailKey ?? emailKey
        if (wanted !== emailKey && !isMoving)
          throw new ConflictRetryError('Another transaction has changed the email of the contact.')
        const taken = wanted === emailKey ? undefined : await findTaken(tx, scope, wanted)
        if (taken) return taken
        await storeResult(tx, scope, request, 'updated', before.id)
        const after = applyChanges(before, changes)
        if (after !== before) await updateContacts(tx, dialect, [after])
        return { value: undefined, replayed: false }
      }),
    upsertContacts: (scope, entries, request) =>
      transactOnce(db, scope, request, storedIds, async (tx, attempt) => {
        if (!(await hasBot(tx, scope))) return 'not_found'
        await dialect.lockEmails(tx, scope, attempt > sharedAttempts ? 'exclusive' : 'shared')
        const plan = planUpsert(scope.botId, entries, await lockEmailHolders(tx, scope, entries))
        if ('problems' in plan) return plan
        const inserted = await insertContacts(tx, dialect, scope, plan.added)
        // Another transaction has created one of the contacts. The repeated transaction finds it.
        if (inserted < plan.added.length)
          throw new ConflictRetryError('Another transaction created a contact of the upsert.')
        await updateContacts(tx, dialect, plan.changed)
        await storeResult(tx, scope, request, plan.ids)
        return { value: plan.ids, replayed: false }
      }),
    deleteContact: (scope, at, request) =>
      transactOnce(db, scope, request, erasedNothing, async tx => {
        const erased = await deleteContactStep(tx, dialect, scope, at)
        if (erased === 'not_found') return erased
        if (!erased.isIncomplete) await storeResult(tx, scope, request, 'deleted')
        return { value: erased, replayed: false }
      }),
    deleteContactOfSession: (scope, hash, at) =>
      db.transact(async tx => {
        const { organizationId, contactId } = scope
        // Before the contact, as the order of locks demands.
        await lockResultsOfContact(tx, contactId)
        if (!(await lockContact(tx, scope, 'UPDATE'))) return 'ended'
        const session = await tx.one<{ conversationId: string }>(
          `SELECT conversation_id AS "conversationId" FROM sessions
           WHERE hash = $1 AND contact_id = $2 AND ${openSessionSql('$3')} FOR UPDATE`,
          [hash, contactId, at],
        )
        if (!session) return 'ended'
        const { conversationId } = session
        const entry = { event: 'erased_by_visitor', member: null, createdAt: at } as const
        await recordAudit(tx, { ...entry, organizationId, conversationId, contactId })
        const erased = await deleteContactStep(tx, dialect, scope, at)
        return erased === 'not_found' ? 'ended' : erased
      }),
    listInterruptedDeletions: limit =>
      db.all<ContactScope>(
        `SELECT organization_id AS "organizationId", bot_id AS "botId", id AS "contactId" FROM contacts
         WHERE id IN (SELECT contact_id FROM sessions WHERE end_reason = 'contact_deleted') LIMIT $1`,
        [limit],
      ),
    deleteGuest: ({ botId }, id, at) =>
      db.transact(async tx => {
        const ended = await endGuestSession(tx, id, 'contact_deleted', at)
        const conversation = await tx.one(
          'SELECT id FROM conversations WHERE id = $1 AND bot_id = $2 AND contact_id IS NULL FOR UPDATE',
          [id, botId],
        )
        const isIncomplete = conversation ? await eraseContent(tx, [id], dialect.limits.rowsPerErasure) : false
        if (conversation && !isIncomplete) await tx.all('DELETE FROM conversations WHERE id = $1', [id])
        return { ended, conversationId: conversation ? id : null, isIncomplete }
      }),
    readContactData: async scope =>
      (await db.one<ContactData>(
        `SELECT name, email, phone, created_at AS "createdAt",
           (SELECT count(*) FROM messages m JOIN conversations v ON v.id = m.conversation_id
            WHERE v.contact_id = contacts.id AND m.author <> 'system' AND m.removed_at IS NULL) AS messages,
           (SELECT count(*) FROM attachments a JOIN conversations v ON v.id = a.conversation_id
            WHERE v.contact_id = contacts.id AND a.message_id IS NOT NULL) AS attachments
         FROM contacts WHERE ${ofScope}`,
        valuesOf(scope),
      )) ?? null,
    exportContact: scope =>
      db.transact(
        async tx => {
          const found = await tx.one<Contact & { attributes: string | null; emailsEnded: EmailsEnded | null }>(
            `SELECT ${contactColumns}, attributes, emails_ended AS "emailsEnded" FROM contacts WHERE ${ofScope}`,
            valuesOf(scope),
          )
          if (!found) return null
          const { attributes, emailsEnded, ...contact } = found
          const sessions = await tx.all<EndColumns & { createdAt: string; expiresAt: string }>(
            `SELECT created_at AS "createdAt", expires_at AS "expiresAt", end_reason AS reason, ended_at AS at
             FROM sessions WHERE contact_id = $1 ORDER BY created_at, hash`,
            [contact.id],
          )
          const conversation = await tx.one<{ id: string; locale: string | null }>(
            'SELECT id, locale FROM conversations WHERE contact_id = $1',
            [contact.id],
          )
          const messages = await tx.all<MessageWithContextRecord>(
            `SELECT ${messageColumns}, context FROM messages WHERE conversation_id = $1 ORDER BY seq`,
            [conversation?.id],
          )
          return {
            contact,
            attributes: parseJson<Attributes>(attributes) ?? {},
            locale: conversation?.locale ?? null,
            emailsEnded,
            sessions: sessions.map(withEnd),
            messages: messages.map(toMessageWithContext),
          }
        },
        { isSnapshot: true },
      ),
  } satisfies Partial<Store>
}

const storedContact = (stored: unknown) => stored as Contact
const storedIds = (stored: unknown) => stored as string[]
const noValue = () => undefined
const erasedNothing = (): ContactErasure => ({ ended: [], conversationId: null, isIncomplete: false })

/** A step of a contact's deletion, which locks it. */
async function deleteContactStep(
  tx: Queries,
  dialect: Dialect,
  scope: ContactScope,
  at: string,
): Promise<ContactErasure | 'not_found'> {
  const { contactId } = scope
  await lockResultsOfContact(tx, contactId)
  // First, so that the contact writes and uploads nothing any more.
  const ended = await endAllSessions(tx, scope, 'contact_deleted', at, 'UPDATE')
  if (ended === 'not_found') return ended
  const conversation = await tx.one<{ id: string }>(
    'SELECT id FROM conversations WHERE contact_id = $1 FOR NO KEY UPDATE',
    [contactId],
  )
  const erased = { ended, conversationId: conversation?.id ?? null }
  if (conversation && (await eraseContent(tx, [conversation.id], dialect.limits.rowsPerErasure)))
    return { ...erased, isIncomplete: true }
  // Locks results that were stored in the meantime. If one is locked, its holder may wait for this contact: NOWAIT
  // fails, and the transaction is repeated.
  await lockResultsOfContact(tx, contactId, 'NOWAIT')
  await eraseResultsOfContact(tx, contactId)
  await tx.all('DELETE FROM contacts WHERE id = $1', [contactId])
  return { ...erased, isIncomplete: false }
}

/**
 * After so many attempts no other upsert runs beside an upsert; a single creation still can. Each attempt failed
 * because another transaction created one of the upsert's contacts at the same time.
 */
const sharedAttempts = 2

/** Whether the changes give the contact another email. Locks nothing: rows must be locked after `lockEmails`. */
async function movesEmail(tx: Queries, scope: ContactScope, { emailKey }: ContactChanges): Promise<boolean> {
  if (emailKey === undefined) return false
  const other = `SELECT id FROM contacts WHERE ${ofScope} AND email_key <> $4`
  return (await tx.one(other, [...valuesOf(scope), emailKey])) !== undefined
}

/** Finds the contact that has an email. Hides the id of a contact of another bot. */
async function findTaken(
  tx: Queries,
  { organizationId, botId }: BotScope,
  emailKey: string,
): Promise<EmailTaken | undefined> {
  const other = await tx.one<{ id: string; botId: string }>(
    'SELECT id, bot_id AS "botId" FROM contacts WHERE organization_id = $1 AND email_key = $2',
    [organizationId, emailKey],
  )
  return other && { taken: other.botId === botId ? { contactId: other.id } : {} }
}

/** Finds and locks the contacts that have the entries' emails, in a fixed order to avoid deadlocks. */
async function lockEmailHolders(
  tx: Queries,
  { organizationId }: BotScope,
  entries: { emailKey: string }[],
): Promise<EmailHolder[]> {
  return tx.all<EmailHolder>(
    `SELECT ${rowColumns}, bot_id AS "botId" FROM contacts
     WHERE organization_id = $1 AND email_key = ANY ($2) ORDER BY email_key FOR UPDATE`,
    [organizationId, entries.map(({ emailKey }) => emailKey)],
  )
}

/**
 * Inserts the contacts whose email is free, with what searches compare. Resolves to how many those are. Ordered by email to
 * avoid deadlocks.
 */
export async function insertContacts(
  tx: Queries,
  dialect: Dialect,
  { organizationId, botId }: BotScope,
  rows: ContactRow[],
): Promise<number> {
  if (rows.length === 0) return 0
  // The keys of emails are ASCII, so this is also the order of `COLLATE "C"`.
  const ordered = rows.toSorted((a, b) => (a.emailKey < b.emailKey ? -1 : 1))
  const inserted = await tx.all(
    `INSERT INTO contacts (organization_id, bot_id, ${storedColumns.join(', ')})
     SELECT $1, $2, r.* FROM json_to_recordset($3) AS r (${recordTypes}) WHERE true ORDER BY email_key COLLATE "C"
     ON CONFLICT (organization_id, email_key) DO NOTHING RETURNING id`,
    [organizationId, botId, await toRecords(dialect, ordered)],
  )
  return inserted.length
}

/** Updates contacts, which the caller has locked. */
async function updateContacts(tx: Queries, dialect: Dialect, rows: ContactRow[]): Promise<void> {
  if (rows.length === 0) return
  const assignments = storedColumns.filter(name => name !== 'id').map(name => `${name} = r.${name}`)
  // The server of another address may take emails.
  const emailsEnded = "CASE WHEN c.emails_ended = 'refused' AND c.email <> r.email THEN NULL ELSE c.emails_ended END"
  await tx.all(
    `UPDATE contacts AS c SET ${assignments.join(', ')}, emails_ended = ${emailsEnded}
     FROM json_to_recordset($1) AS r (${recordTypes}) WHERE c.id = r.id`,
    [await toRecords(dialect, rows)],
  )
}

const storedColumns = [
  ...contactFields,
  ...['id', 'email_key', 'created_at', 'updated_at', 'name_text', 'rest_text', 'digits_text'],
]
const recordTypes = storedColumns.map(name => `${name} text`).join(', ')

/** The rows as JSON for `json_to_recordset`, which ignores what is not among its columns. */
async function toRecords({ map }: Dialect, rows: ContactRow[]): Promise<string> {
  const records = await map(rows, row => {
    const { name: name_text, rest: rest_text, digits: digits_text } = normalizeContact(row)
    const { emailKey: email_key, createdAt: created_at, updatedAt: updated_at, ...fields } = row
    return JSON.stringify({ ...fields, email_key, created_at, updated_at, name_text, rest_text, digits_text })
  })
  return `[${records.join(',')}]`
}
