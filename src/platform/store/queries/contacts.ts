import type { Attributes, Contact } from '../../../contract/index.ts'
import { ConflictRetryError, type ContactRows, type Database, parseJson, type Queries } from '../database.ts'
import { applyChanges, emailTaken, isLargeUpsert, type KeyHolder, planUpsert } from '../rules/contacts.ts'
import { messageColumns } from '../rules/messageColumns.ts'
import { type ExportedSessionRecord, toExportedSession } from '../rules/sessions.ts'
import type { BotScope, ContactChanges, ContactRow, ContactScope, ContactStore, EmailTaken } from '../store.ts'
import { eraseFiles } from './attachments.ts'
import { eraseContent } from './eraseContent.ts'
import { claimKey, eraseResultsOfContact, lockResultsOfContact, storeResult } from './idempotency.ts'
import { type MessageWithContextRecord, toMessageWithContext } from './messages.ts'
import { hasBot } from './organizations.ts'
import { endAllSessions } from './sessions.ts'

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

export function contacts(db: Database, rows: ContactRows): Contacts {
  return {
    createContact: (scope, contact, request) =>
      db.transact(async tx => {
        if (!(await hasBot(tx, scope))) return 'not_found'
        const claim = await claimKey(tx, scope, request)
        if (claim.kind === 'rejected') return claim.reason
        if (claim.kind === 'replayed') return { replayed: claim.stored.result as Contact }
        if ((await rows.insert(tx, scope, [contact])) === 0) {
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
        if (isMoving) await rows.lockEmails(tx, scope, 'exclusive')
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
        await rows.update(tx, scope, [after])
        const { emailKey: _, ...contact } = after
        return contact
      }),
    upsertContacts: (scope, entries, request) =>
      db.transact(
        async (tx, attempt) => {
          if (!(await hasBot(tx, scope))) return 'not_found'
          const claim = await claimKey(tx, scope, request)
          if (claim.kind === 'rejected') return claim.reason
          if (claim.kind === 'replayed') return { ids: claim.stored.result as string[], replayed: true }
          await rows.lockEmails(tx, scope, attempt > sharedAttempts ? 'exclusive' : 'shared')
          const plan = planUpsert(scope.botId, entries, await lockHolders(tx, scope, entries))
          if ('problems' in plan) return plan
          const inserted = await rows.insert(tx, scope, plan.added)
          // Another transaction has created one of the contacts. The repeated transaction finds it.
          if (inserted < plan.added.length)
            throw new ConflictRetryError('Another transaction created a contact of the upsert.')
          await rows.update(tx, scope, plan.changed)
          await storeResult(tx, scope, request, plan.ids)
          return { ids: plan.ids, replayed: false }
        },
        {
          isLong: true,
          ...(isLargeUpsert(entries) && { largeUpsertOf: scope.organizationId }),
        },
      ),
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
