import type { Attributes, Contact } from '../../../contract/index.ts'
import { ConflictRetryError, type Database, type Dialect, parseJson, type Queries } from '../database.ts'
import { omitUndefined } from '../omitUndefined.ts'
import type {
  BotScope,
  ContactChanges,
  ContactRow,
  ContactScope,
  ContactStore,
  EmailTaken,
  UpsertEntry,
  UpsertProblem,
} from '../store.ts'
import { eraseFiles } from './attachments.ts'
import { insertContacts, updateContacts } from './contactRows.ts'
import { eraseContent } from './eraseContent.ts'
import { claimKey, eraseResultsOfContact, lockResultsOfContact, storeResult } from './idempotency.ts'
import { type MessageWithContextRecord, messageColumns, toMessageWithContext } from './messages.ts'
import { hasBot } from './organizations.ts'
import { type ExportedSessionRecord, endAllSessions, toExportedSession } from './sessions.ts'

/** A contact that has an email key which a request names, whichever bot it belongs to. */
interface KeyHolder extends ContactRow {
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

/** The contact that an entry adds. */
function toContactRow(entry: UpsertEntry): ContactRow {
  const { id, name = '', email, emailKey, phone = '', mid = '', wid = '', createdAt, updatedAt } = entry
  return { id, name, email, emailKey, phone, mid, wid, createdAt, updatedAt }
}

/** The answer to a request for an email that another contact has. It hides the id of a contact of another bot. */
const emailTaken = (holder: { id: string; botId: string }, botId: string): EmailTaken => ({
  taken: holder.botId === botId ? { contactId: holder.id } : {},
})

/**
 * Plans the writes of an upsert whose entries are applied in order. `holders` are the contacts that have the entries'
 * email keys. If an entry cannot be applied, nothing may be written.
 */
function planUpsert(
  botId: string,
  entries: UpsertEntry[],
  holders: KeyHolder[],
  toRow: (entry: UpsertEntry) => ContactRow = toContactRow,
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
    else after.set(entry.emailKey, toRow(entry))
  }
  if (problems.length > 0) return { problems }
  const isNew = ({ emailKey }: ContactRow) => !before.has(emailKey)
  return {
    ids: entries.map(({ emailKey }) => after.get(emailKey)?.id ?? ''),
    added: [...after.values()].filter(isNew),
    changed: [...after.values()].filter(contact => !isNew(contact) && contact !== before.get(contact.emailKey)),
  }
}

type Contacts = Pick<
  ContactStore,
  | 'createContact'
  | 'findContact'
  | 'findContactByEmail'
  | 'findContactAttributes'
  | 'updateContact'
  | 'setContactAttributes'
  | 'upsertContacts'
  | 'deleteContact'
  | 'exportContact'
>

export const contactColumns = 'id, name, email, phone, mid, wid, created_at AS "createdAt", updated_at AS "updatedAt"'
const ofScope = 'id = $1 AND bot_id = $2 AND organization_id = $3'

export function contacts(db: Database, dialect: Dialect): Contacts {
  return {
    createContact: (scope, contact, request) =>
      db.transact(async tx => {
        if (!(await hasBot(tx, scope))) return 'not_found'
        const claim = await claimKey(tx, scope, request)
        if (claim.kind === 'rejected') return claim.reason
        if (claim.kind === 'replayed') return { replayed: claim.stored.result as Contact }
        if ((await insertContacts(tx, dialect, scope, [contact])) === 0) {
          const taken = await findTaken(tx, scope, contact.emailKey)
          if (!taken) throw new ConflictRetryError('The contact with the email was deleted by another transaction.')
          return taken
        }
        const { emailKey: _, ...created } = contact
        await storeResult(tx, scope, request, created, created.id)
        return created
      }),
    findContact: async ({ organizationId, botId, contactId }) =>
      (await db.one<Contact>(`SELECT ${contactColumns} FROM contacts WHERE ${ofScope}`, [
        contactId,
        botId,
        organizationId,
      ])) ?? null,
    findContactByEmail: async ({ organizationId, botId }, emailKey) =>
      (await db.one<Contact>(
        `SELECT ${contactColumns} FROM contacts WHERE organization_id = $1 AND email_key = $2 AND bot_id = $3`,
        [organizationId, emailKey, botId],
      )) ?? null,
    async findContactAttributes({ organizationId, botId, contactId }) {
      const row = await db.one<{ attributes: string | null }>(`SELECT attributes FROM contacts WHERE ${ofScope}`, [
        contactId,
        botId,
        organizationId,
      ])
      return row ? (parseJson<Attributes>(row.attributes) ?? {}) : null
    },
    setContactAttributes: (scope, attributes, request) =>
      db.transact(async tx => {
        const { organizationId, botId, contactId } = scope
        const claim = await claimKey(tx, scope, request)
        if (claim.kind === 'rejected') return claim.reason
        if (claim.kind === 'replayed') return 'replayed'
        const set = await tx.one(`UPDATE contacts SET attributes = $4 WHERE ${ofScope} RETURNING id`, [
          contactId,
          botId,
          organizationId,
          JSON.stringify(attributes),
        ])
        if (!set) return 'not_found'
        await storeResult(tx, scope, request, 'set', contactId)
        return 'set'
      }),
    updateContact: (scope, changes, request) =>
      db.transact(async tx => {
        const claim = await claimKey(tx, scope, request)
        if (claim.kind === 'rejected') return claim.reason
        if (claim.kind === 'replayed') return 'replayed'
        const isMoving = await movesEmail(tx, scope, changes)
        if (isMoving) await dialect.lockEmails(tx, scope, 'exclusive')
        const before = await lockById(tx, scope)
        if (!before) return 'not_found'
        const { emailKey, ...fields } = before
        const wanted = changes.emailKey ?? emailKey
        if (wanted !== emailKey && !isMoving)
          throw new ConflictRetryError('Another transaction has changed the email of the contact.')
        const taken = wanted === emailKey ? undefined : await findTaken(tx, scope, wanted)
        if (taken) return taken
        await storeResult(tx, scope, request, 'updated', before.id)
        const after = applyChanges(before, changes)
        if (after === before) return fields
        await updateContacts(tx, dialect, [after])
        const { emailKey: _, ...contact } = after
        return contact
      }),
    upsertContacts: (scope, entries, request) =>
      db.transact(async (tx, attempt) => {
        if (!(await hasBot(tx, scope))) return 'not_found'
        const claim = await claimKey(tx, scope, request)
        if (claim.kind === 'rejected') return claim.reason
        if (claim.kind === 'replayed') return { ids: claim.stored.result as string[], replayed: true }
        await dialect.lockEmails(tx, scope, attempt > sharedAttempts ? 'exclusive' : 'shared')
        const plan = planUpsert(scope.botId, entries, await lockHolders(tx, scope, entries))
        if ('problems' in plan) return plan
        const inserted = await insertContacts(tx, dialect, scope, plan.added)
        // Another transaction has created one of the contacts. The repeated transaction finds it.
        if (inserted < plan.added.length)
          throw new ConflictRetryError('Another transaction created a contact of the upsert.')
        await updateContacts(tx, dialect, plan.changed)
        await storeResult(tx, scope, request, plan.ids)
        return { ids: plan.ids, replayed: false }
      }),
    deleteContact: (scope, at, request) =>
      db.transact(async tx => {
        const claim = await claimKey(tx, scope, request)
        if (claim.kind === 'rejected') return claim.reason
        if (claim.kind === 'replayed') return 'replayed'
        await lockResultsOfContact(tx, scope.contactId)
        // First, so that the contact writes and uploads nothing any more.
        const ended = await endAllSessions(tx, scope, 'contact_deleted', at, 'UPDATE')
        if (ended === 'not_found') return ended
        const conversation = await tx.one<{ id: string }>(
          'SELECT id FROM conversations WHERE contact_id = $1 FOR NO KEY UPDATE',
          [scope.contactId],
        )
        if (conversation && ((await eraseFiles(tx, conversation.id)) || (await eraseContent(tx, [conversation.id]))))
          return { ended, isIncomplete: true }
        // Locks results that were stored in the meantime. If one is locked, its holder may wait for this contact: NOWAIT
        // fails, and the transaction is repeated.
        await lockResultsOfContact(tx, scope.contactId, 'NOWAIT')
        await eraseResultsOfContact(tx, scope.contactId)
        await tx.all('DELETE FROM contacts WHERE id = $1', [scope.contactId])
        await storeResult(tx, scope, request, 'deleted')
        return { ended, isIncomplete: false }
      }),
    exportContact: ({ organizationId, botId, contactId }) =>
      db.transact(
        async tx => {
          const found = await tx.one<Contact & { attributes: string | null }>(
            `SELECT ${contactColumns}, attributes FROM contacts WHERE ${ofScope}`,
            [contactId, botId, organizationId],
          )
          if (!found) return null
          const { attributes, ...contact } = found
          const sessions = await tx.all<ExportedSessionRecord>(
            `SELECT created_at AS "createdAt", expires_at AS "expiresAt", end_reason AS reason, ended_at AS at
             FROM sessions WHERE contact_id = $1 ORDER BY created_at, hash`,
            [contactId],
          )
          const conversation = await tx.one<{ locale: string | null }>(
            'SELECT locale FROM conversations WHERE contact_id = $1',
            [contactId],
          )
          const messages = await tx.all<MessageWithContextRecord>(
            `SELECT ${messageColumns}, context FROM messages
             WHERE conversation_id = (SELECT id FROM conversations WHERE contact_id = $1) ORDER BY seq`,
            [contactId],
          )
          return {
            contact,
            attributes: parseJson<Attributes>(attributes) ?? {},
            locale: conversation?.locale ?? null,
            sessions: sessions.map(toExportedSession),
            messages: messages.map(toMessageWithContext),
          }
        },
        { isSnapshot: true },
      ),
  }
}

/**
 * After so many attempts no other upsert runs beside an upsert; a single creation still can. Each attempt failed
 * because another transaction created one of the upsert's contacts at the same time.
 */
const sharedAttempts = 2

/** Whether the changes give the contact another email. Locks nothing: rows must be locked after `lockEmails`. */
async function movesEmail(
  tx: Queries,
  { organizationId, botId, contactId }: ContactScope,
  { emailKey }: ContactChanges,
): Promise<boolean> {
  if (emailKey === undefined) return false
  const other = await tx.one(`SELECT id FROM contacts WHERE ${ofScope} AND email_key <> $4`, [
    contactId,
    botId,
    organizationId,
    emailKey,
  ])
  return other !== undefined
}

function lockById(tx: Queries, { organizationId, botId, contactId }: ContactScope): Promise<ContactRow | undefined> {
  return tx.one<ContactRow>(
    `SELECT ${contactColumns}, email_key AS "emailKey" FROM contacts WHERE ${ofScope} FOR UPDATE`,
    [contactId, botId, organizationId],
  )
}

async function findTaken(
  tx: Queries,
  { organizationId, botId }: BotScope,
  emailKey: string,
): Promise<EmailTaken | undefined> {
  const other = await tx.one<{ id: string; botId: string }>(
    'SELECT id, bot_id AS "botId" FROM contacts WHERE organization_id = $1 AND email_key = $2',
    [organizationId, emailKey],
  )
  return other && emailTaken(other, botId)
}

/** Finds and locks the contacts that have the entries' emails, in a fixed order to avoid deadlocks. */
async function lockHolders(
  tx: Queries,
  { organizationId }: BotScope,
  entries: { emailKey: string }[],
): Promise<KeyHolder[]> {
  return tx.all<KeyHolder>(
    `SELECT ${contactColumns}, email_key AS "emailKey", bot_id AS "botId" FROM contacts
     WHERE organization_id = $1 AND email_key = ANY ($2) ORDER BY email_key FOR UPDATE`,
    [organizationId, entries.map(({ emailKey }) => emailKey)],
  )
}
