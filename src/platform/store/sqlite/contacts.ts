import type { DatabaseSync } from 'node:sqlite'
import type { Attributes, Contact } from '../../../contract/index.ts'
import { type NormalizedText, normalizeContact } from '../../search/searchNormalization.ts'
import { applyChanges, emailTaken, type KeyHolder, planUpsert, toContactRow } from '../rules/contacts.ts'
import type { BotScope, ContactRow, ContactScope, ContactStore, EmailTaken, UpsertEntry } from '../store.ts'
import { prepareEraseFiles } from './attachments.ts'
import { prepare, type Sync } from './connection.ts'
import { prepareEraseContent } from './eraseContent.ts'
import { idempotency } from './idempotency.ts'
import { prepareEndAllSessions } from './sessions.ts'

export type ContactReads = Sync<Pick<ContactStore, 'findContact' | 'findContactByEmail' | 'findContactAttributes'>>
export type ContactWrites = Sync<
  Pick<ContactStore, 'createContact' | 'updateContact' | 'upsertContacts' | 'deleteContact' | 'setContactAttributes'>
> & {
  /** Does the part of an upsert that needs no transaction, so that other writes wait for a shorter time. */
  prepareUpsert(scope: BotScope, entries: UpsertEntry[]): void
}

export const contactColumns = 'id, name, email, phone, mid, wid, created_at AS createdAt, updated_at AS updatedAt'

export function contactReads(db: DatabaseSync): ContactReads {
  const contact = prepare<Contact>(
    db,
    `SELECT ${contactColumns} FROM contacts WHERE id = ? AND bot_id = ? AND organization_id = ?`,
  )
  const byEmailKey = prepare<Contact>(
    db,
    `SELECT ${contactColumns} FROM contacts WHERE organization_id = ? AND email_key = ? AND bot_id = ?`,
  )
  const attributesOf = prepare<{ attributes: string | null }>(
    db,
    'SELECT attributes FROM contacts WHERE id = ? AND bot_id = ? AND organization_id = ?',
  )
  return {
    findContactAttributes({ organizationId, botId, contactId }) {
      const row = attributesOf.get(contactId, botId, organizationId)
      return row ? (JSON.parse(row.attributes ?? '{}') as Attributes) : null
    },
    findContact({ organizationId, botId, contactId }) {
      const row = contact.get(contactId, botId, organizationId)
      return row ? { ...row } : null
    },
    findContactByEmail({ organizationId, botId }, emailKey) {
      const row = byEmailKey.get(organizationId, emailKey, botId)
      return row ? { ...row } : null
    },
  }
}

export function contactWrites(db: DatabaseSync): ContactWrites {
  const { claimKey, storeResult, eraseResultsOfContact } = idempotency(db)
  const eraseFiles = prepareEraseFiles(db)
  const eraseContent = prepareEraseContent(db, 'SELECT id FROM conversations WHERE contact_id = ?')
  const bot = prepare<{ number: number }>(db, 'SELECT number FROM bots WHERE id = ? AND organization_id = ?')
  const byId = prepare<ContactRow>(
    db,
    `SELECT email_key AS emailKey, ${contactColumns} FROM contacts WHERE id = ? AND bot_id = ? AND organization_id = ?`,
  )
  const byEmailKey = prepare<KeyHolder>(
    db,
    `SELECT bot_id AS botId, email_key AS emailKey, ${contactColumns} FROM contacts
     WHERE organization_id = ? AND email_key = ?`,
  )
  const insert = db.prepare(
    `INSERT INTO contacts (id, organization_id, bot_id, email_key, name, email, phone, mid, wid, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const addToCount = db.prepare('UPDATE bots SET contact_count = contact_count + ? WHERE number = ?')
  const update = db.prepare(
    `UPDATE contacts SET name = $name, email = $email, email_key = $emailKey, phone = $phone,
       mid = $mid, wid = $wid, updated_at = $updatedAt
     WHERE id = $id`,
  )
  const setAttributes = db.prepare('UPDATE contacts SET attributes = ? WHERE id = ?')
  const removeContact = db.prepare('DELETE FROM contacts WHERE id = ?')
  const endAllSessions = prepareEndAllSessions(db)
  const insertSearchDoc = db.prepare(
    `INSERT INTO contact_search_docs (bot, created_at, id, number, name, rest, digits) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const ofContact = `(bot, created_at, id) =
    (SELECT b.number, c.created_at, c.id FROM contacts c JOIN bots b ON b.id = c.bot_id WHERE c.id = ?)`
  const updateSearchDoc = db.prepare(`UPDATE contact_search_docs SET name = ?, rest = ?, digits = ? WHERE ${ofContact}`)
  // A trigger would be slower: SQLite would copy each page before each row.
  const queueNew = db.prepare('INSERT OR IGNORE INTO search_index_queue (bot, number) VALUES (?, ?)')
  // Ignores later changes of a contact: the queue must keep the text that the index holds.
  const queueChanged = db.prepare(
    `INSERT OR IGNORE INTO search_index_queue (bot, number, name, rest, digits)
     SELECT bot, number, name, rest, digits FROM contact_search_docs WHERE ${ofContact}`,
  )

  /** The search text of each contact that an entry would add. */
  const preparedTexts = new WeakMap<ContactRow, NormalizedText>()
  const preparedRows = new WeakMap<UpsertEntry, ContactRow>()

  function findBotNumber({ organizationId, botId }: BotScope): number | undefined {
    return bot.get(botId, organizationId)?.number
  }

  /** Does not count the contact: the caller adds to the bot's count, once for all contacts that it inserts. */
  function insertContact({ organizationId, botId }: BotScope, bot: number, row: ContactRow): Contact {
    const { emailKey, id, name, email, phone, mid, wid, createdAt, updatedAt } = row
    const { lastInsertRowid: number } = insert.run(
      id,
      organizationId,
      botId,
      emailKey,
      name,
      email,
      phone,
      mid,
      wid,
      createdAt,
      updatedAt,
    )
    const text = preparedTexts.get(row) ?? normalizeContact(row)
    insertSearchDoc.run(bot, createdAt, id, number, text.name, text.rest, text.digits)
    queueNew.run(bot, number)
    return { id, name, email, phone, mid, wid, createdAt, updatedAt }
  }

  function writeChanges(before: ContactRow, { createdAt, ...after }: ContactRow): Contact {
    const { id, emailKey, name, email, phone, mid, wid, updatedAt } = after
    update.run({ id, emailKey, name, email, phone, mid, wid, updatedAt })
    const text = normalizeContact(after)
    // Synchronization jobs send the same contacts over and over. Unchanged ones need not be indexed again.
    if (!isEqual(text, normalizeContact(before))) {
      queueChanged.run(id)
      updateSearchDoc.run(text.name, text.rest, text.digits, id)
    }
    return { id, name, email, phone, mid, wid, createdAt, updatedAt }
  }

  function findTaken({ organizationId, botId }: BotScope, emailKey: string): EmailTaken | undefined {
    const holder = byEmailKey.get(organizationId, emailKey)
    return holder && emailTaken(holder, botId)
  }

  /** The contacts that have the entries' email keys. */
  function findHolders({ organizationId }: BotScope, entries: UpsertEntry[]): KeyHolder[] {
    const keys = new Set(entries.map(({ emailKey }) => emailKey))
    return [...keys].flatMap(emailKey => byEmailKey.get(organizationId, emailKey) ?? [])
  }

  return {
    prepareUpsert({ organizationId }, entries) {
      for (const entry of entries) {
        // Loads the pages that the transaction will read into the cache.
        byEmailKey.get(organizationId, entry.emailKey)
        const row = toContactRow(entry)
        preparedRows.set(entry, row)
        preparedTexts.set(row, normalizeContact(row))
      }
    },
    createContact(scope, contact, request) {
      const bot = findBotNumber(scope)
      if (bot === undefined) return 'not_found'
      const claim = claimKey(scope, request)
      if (claim.kind === 'rejected') return claim.reason
      if (claim.kind === 'replayed') return { replayed: claim.stored.result as Contact }
      const taken = findTaken(scope, contact.emailKey)
      if (taken) return taken
      const created = insertContact(scope, bot, contact)
      addToCount.run(1, bot)
      storeResult(scope, request, created, created.id)
      return created
    },
    updateContact(scope: ContactScope, changes, request) {
      const claim = claimKey(scope, request)
      if (claim.kind === 'rejected') return claim.reason
      if (claim.kind === 'replayed') return 'replayed'
      const stored = byId.get(scope.contactId, scope.botId, scope.organizationId)
      if (!stored) return 'not_found'
      const { emailKey = stored.emailKey } = changes
      const taken = emailKey === stored.emailKey ? undefined : findTaken(scope, emailKey)
      if (taken) return taken
      const after = applyChanges(stored, changes)
      storeResult(scope, request, 'updated', stored.id)
      if (after !== stored) return writeChanges(stored, after)
      const { emailKey: _, ...contact } = stored
      return contact
    },
    setContactAttributes(scope, attributes, request) {
      const claim = claimKey(scope, request)
      if (claim.kind === 'rejected') return claim.reason
      if (claim.kind === 'replayed') return 'replayed'
      const contact = byId.get(scope.contactId, scope.botId, scope.organizationId)
      if (!contact) return 'not_found'
      setAttributes.run(JSON.stringify(attributes), contact.id)
      storeResult(scope, request, 'set', contact.id)
      return 'set'
    },
    upsertContacts(scope, entries, request) {
      const bot = findBotNumber(scope)
      if (bot === undefined) return 'not_found'
      const claim = claimKey(scope, request)
      if (claim.kind === 'rejected') return claim.reason
      if (claim.kind === 'replayed') return { ids: claim.stored.result as string[], replayed: true }
      const holders = findHolders(scope, entries)
      const plan = planUpsert(scope.botId, entries, holders, entry => preparedRows.get(entry) ?? toContactRow(entry))
      if ('problems' in plan) return plan
      addToCount.run(plan.added.length, bot)
      for (const row of plan.added) insertContact(scope, bot, row)
      const stored = new Map(holders.map(holder => [holder.id, holder]))
      for (const row of plan.changed) writeChanges(stored.get(row.id) ?? row, row)
      storeResult(scope, request, plan.ids)
      return { ids: plan.ids, replayed: false }
    },
    deleteContact(scope, at, request) {
      const claim = claimKey(scope, request)
      if (claim.kind === 'rejected') return claim.reason
      if (claim.kind === 'replayed') return 'replayed'
      // First, so that the contact writes and uploads nothing any more.
      const ended = endAllSessions(scope, 'contact_deleted', at)
      if (ended === 'not_found') return ended
      if (eraseFiles(scope) || eraseContent(scope.contactId)) return { ended, isIncomplete: true }
      eraseResultsOfContact(scope.contactId)
      removeContact.run(scope.contactId)
      storeResult(scope, request, 'deleted')
      return { ended, isIncomplete: false }
    },
  }
}

function isEqual(a: NormalizedText, b: NormalizedText): boolean {
  return a.name === b.name && a.rest === b.rest && a.digits === b.digits
}
