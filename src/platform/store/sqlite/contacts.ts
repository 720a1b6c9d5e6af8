import type { DatabaseSync } from 'node:sqlite'
import type { Contact } from '../../../contract/index.ts'
import { type NormalizedText, normalizeContact } from '../../search/searchNormalization.ts'
import { omitUndefined } from '../omitUndefined.ts'
import type { BotScope, ContactChanges, ContactRow, ContactScope, Store, UpsertEntry, UpsertProblem } from '../store.ts'
import type { Sync } from './connection.ts'
import { idempotency } from './idempotency.ts'

export type ContactReads = Sync<Pick<Store, 'findContact'>>
export type ContactWrites = Sync<Pick<Store, 'createContact' | 'updateContact' | 'upsertContacts'>> & {
  /** Does of an upsert what needs no transaction, so that others wait the less for it. */
  prepareUpsert(scope: BotScope, entries: UpsertEntry[]): void
}

export const contactColumns = 'id, name, email, phone, mid, wid, created_at AS createdAt, updated_at AS updatedAt'

export function contactReads(db: DatabaseSync): ContactReads {
  const contact = db.prepare(
    `SELECT ${contactColumns} FROM contacts WHERE id = ? AND bot_id = ? AND organization_id = ?`,
  )
  return {
    findContact({ organizationId, botId, contactId }) {
      const row = contact.get(contactId, botId, organizationId)
      return row ? ({ ...row } as unknown as Contact) : null
    },
  }
}

export function contactWrites(db: DatabaseSync): ContactWrites {
  const { findContact } = contactReads(db)
  const idempotentRequests = idempotency(db)
  const bot = db.prepare('SELECT number FROM bots WHERE id = ? AND organization_id = ?')
  const byEmailKey = db.prepare(
    `SELECT bot_id AS botId, ${contactColumns} FROM contacts WHERE organization_id = ? AND email_key = ?`,
  )
  const insert = db.prepare(
    `INSERT INTO contacts (id, organization_id, bot_id, email_key, name, email, phone, mid, wid, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const addToCount = db.prepare('UPDATE bots SET contact_count = contact_count + ? WHERE number = ?')
  const update = db.prepare(
    `UPDATE contacts SET name = $name, email = $email, email_key = coalesce($emailKey, email_key), phone = $phone,
       mid = $mid, wid = $wid, updated_at = $updatedAt
     WHERE id = $id`,
  )
  const insertSearchDoc = db.prepare(
    `INSERT INTO contact_search_docs (bot, created_at, id, number, name, rest, digits) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const ofContact = `(bot, created_at, id) =
    (SELECT b.number, c.created_at, c.id FROM contacts c JOIN bots b ON b.id = c.bot_id WHERE c.id = ?)`
  const updateSearchDoc = db.prepare(`UPDATE contact_search_docs SET name = ?, rest = ?, digits = ? WHERE ${ofContact}`)
  // Not by a trigger, for which the engine would copy each page before each row.
  const queueNew = db.prepare('INSERT OR IGNORE INTO search_index_queue (bot, number) VALUES (?, ?)')
  // The first of several changes says what the index holds.
  const queueChanged = db.prepare(
    `INSERT OR IGNORE INTO search_index_queue (bot, number, name, rest, digits)
     SELECT bot, number, name, rest, digits FROM contact_search_docs WHERE ${ofContact}`,
  )

  /** Search texts of entries that have been prepared. */
  const prepared = new WeakMap<UpsertEntry, NormalizedText>()

  function findByEmailKey(organizationId: string, emailKey: string): StandingContact | undefined {
    return byEmailKey.get(organizationId, emailKey) as unknown as StandingContact | undefined
  }

  function findBotNumber({ organizationId, botId }: BotScope): number | undefined {
    return bot.get(botId, organizationId)?.['number'] as number | undefined
  }

  /** Whoever calls it counts it too, once for all that are inserted together. */
  function insertContact(scope: BotScope, bot: number, row: ContactRow, text = normalizeContact(row)): Contact {
    const { organizationId, botId } = scope
    const { emailKey, id, name, email, phone, mid, wid, createdAt, updatedAt } = row
    const { lastInsertRowid: number } = insert.run(
      ...[id, organizationId, botId, emailKey, name, email, phone, mid, wid, createdAt, updatedAt],
    )
    insertSearchDoc.run(bot, createdAt, id, number, text.name, text.rest, text.digits)
    queueNew.run(bot, number)
    return { id, name, email, phone, mid, wid, createdAt, updatedAt }
  }

  function changeContact(before: Contact, { emailKey, updatedAt, ...changes }: ContactChanges): Contact {
    const present = omitUndefined(changes)
    if (Object.keys(present).length === 0) return before
    const { id, name, email, phone, mid, wid, createdAt } = { ...before, ...present }
    const after = { id, name, email, phone, mid, wid, updatedAt }
    update.run({ ...after, emailKey: emailKey ?? null })
    const text = normalizeContact(after)
    // Synchronizing jobs send the same contacts over and over.
    if (!isEqual(text, normalizeContact(before))) {
      queueChanged.run(id)
      updateSearchDoc.run(text.name, text.rest, text.digits, id)
    }
    return { ...after, createdAt }
  }

  function taken(scope: BotScope, emailKey: string, self?: string): { taken: { contactId?: string } } | undefined {
    const other = findByEmailKey(scope.organizationId, emailKey)
    if (!other || other.id === self) return undefined
    return { taken: other.botId === scope.botId ? { contactId: other.id } : {} }
  }

  /** Found before anything is written: an upsert happens whole or not at all. */
  function findProblems(botId: string, entries: UpsertEntry[], standing: Standing): UpsertProblem[] {
    const added = new Set<string>()
    const problems: UpsertProblem[] = []
    for (const [index, { name, emailKey }] of entries.entries()) {
      const other = standing.get(emailKey)
      if (other && other.botId !== botId) problems.push({ index, reason: 'email_taken' })
      if (other || added.has(emailKey)) continue
      if (name === undefined) problems.push({ index, reason: 'name_missing' })
      else added.add(emailKey)
    }
    return problems
  }

  /** Applies one entry to what stands after those before it. */
  function upsertEntry(scope: BotScope, bot: number, entry: UpsertEntry, standing: Standing): string {
    const found = standing.get(entry.emailKey)
    const contact = found
      ? changeFound(found, entry)
      : insertContact(scope, bot, toContactRow(entry), prepared.get(entry))
    standing.set(entry.emailKey, { ...contact, botId: scope.botId })
    return contact.id
  }

  function changeFound(found: Contact, { id: _, createdAt: __, email, ...others }: UpsertEntry): Contact {
    return changeContact(found, email === found.email ? others : { ...others, email })
  }

  function upsertEntries(
    scope: BotScope,
    bot: number,
    entries: UpsertEntry[],
  ): string[] | { problems: UpsertProblem[] } {
    const standing: Standing = new Map()
    for (const { emailKey } of entries) standing.set(emailKey, findByEmailKey(scope.organizationId, emailKey))
    const problems = findProblems(scope.botId, entries, standing)
    if (problems.length > 0) return { problems }
    addToCount.run([...standing.values()].filter(found => !found).length, bot)
    return entries.map(entry => upsertEntry(scope, bot, entry, standing))
  }

  return {
    prepareUpsert({ organizationId }, entries) {
      for (const entry of entries) {
        // What is read now is at hand then.
        byEmailKey.get(organizationId, entry.emailKey)
        prepared.set(entry, normalizeContact(toContactRow(entry)))
      }
    },
    createContact(scope, contact, request) {
      const bot = findBotNumber(scope)
      if (bot === undefined) return 'not_found'
      const before = idempotentRequests.find(request)
      if (before) return before === 'key_reused' ? before : { replayed: before.result as Contact }
      const conflict = taken(scope, contact.emailKey)
      if (conflict) return conflict
      const created = insertContact(scope, bot, contact)
      addToCount.run(1, bot)
      idempotentRequests.keep(request, created, created.id)
      return created
    },
    updateContact(scope: ContactScope, changes) {
      const before = findContact(scope)
      if (!before) return 'not_found'
      const conflict = changes.emailKey === undefined ? undefined : taken(scope, changes.emailKey, before.id)
      return conflict ?? changeContact(before, changes)
    },
    upsertContacts(scope, entries, request) {
      const bot = findBotNumber(scope)
      if (bot === undefined) return 'not_found'
      const before = idempotentRequests.find(request)
      if (before) return before === 'key_reused' ? before : { ids: before.result as string[], replayed: true }
      const ids = upsertEntries(scope, bot, entries)
      if ('problems' in ids) return ids
      idempotentRequests.keep(request, ids)
      return { ids, replayed: false }
    },
  }
}

type StandingContact = Contact & { botId: string }
/** Who bears the email keys that a request names. */
type Standing = Map<string, StandingContact | undefined>

function toContactRow(entry: UpsertEntry): ContactRow {
  const { id, name = '', email, emailKey, phone = '', mid = '', wid = '', createdAt, updatedAt } = entry
  return { id, name, email, emailKey, phone, mid, wid, createdAt, updatedAt }
}

function isEqual(a: NormalizedText, b: NormalizedText): boolean {
  return a.name === b.name && a.rest === b.rest && a.digits === b.digits
}
