import type { DatabaseSync } from 'node:sqlite'
import type { Contact } from '../../../contract/index.ts'
import { foldContact } from '../../domain/fold.ts'
import type { BotScope, ContactChanges, ContactRow, ContactScope, Store, UpsertEntry, UpsertProblem } from '../store.ts'
import type { Sync } from './connection.ts'

export type ContactReads = Sync<Pick<Store, 'findContact'>>
export type ContactWrites = Sync<Pick<Store, 'createContact' | 'updateContact' | 'upsertContacts'>>

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
  const bot = db.prepare('SELECT 1 FROM bots WHERE id = ? AND organization_id = ?')
  const byEmailKey = db.prepare(
    `SELECT bot_id AS botId, ${contactColumns} FROM contacts WHERE organization_id = ? AND email_key = ?`,
  )
  const insert = db.prepare(
    `INSERT INTO contacts (id, organization_id, bot_id, email_key, name, email, phone, mid, wid, created_at, updated_at,
       name_text, rest_text, digits_text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = db.prepare(
    `UPDATE contacts SET name = ?, email = ?, email_key = coalesce(?, email_key), phone = ?, mid = ?, wid = ?,
       updated_at = ?, name_text = ?, rest_text = ?, digits_text = ?
     WHERE id = ?`,
  )

  function findByEmailKey(organizationId: string, emailKey: string): (Contact & { botId: string }) | undefined {
    return byEmailKey.get(organizationId, emailKey) as unknown as (Contact & { botId: string }) | undefined
  }

  function hasBot({ organizationId, botId }: BotScope): boolean {
    return bot.get(botId, organizationId) !== undefined
  }

  function insertContact({ organizationId, botId }: BotScope, { emailKey, ...contact }: ContactRow): Contact {
    const { id, name, email, phone, mid, wid, createdAt, updatedAt } = contact
    const text = foldContact(contact)
    insert.run(
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
      text.name,
      text.rest,
      text.digits,
    )
    return { id, name, email, phone, mid, wid, createdAt, updatedAt }
  }

  function changeContact(before: Contact, { emailKey, updatedAt, ...changes }: ContactChanges): Contact {
    if (Object.values(changes).every(value => value === undefined)) return before
    const { id, createdAt } = before
    const {
      name = before.name,
      email = before.email,
      phone = before.phone,
      mid = before.mid,
      wid = before.wid,
    } = changes
    const after = { id, name, email, phone, mid, wid, createdAt, updatedAt }
    const text = foldContact(after)
    update.run(name, email, emailKey ?? null, phone, mid, wid, updatedAt, text.name, text.rest, text.digits, id)
    return after
  }

  function taken(scope: BotScope, emailKey: string, self?: string): { taken: { contactId?: string } } | undefined {
    const other = findByEmailKey(scope.organizationId, emailKey)
    if (!other || other.id === self) return undefined
    return { taken: other.botId === scope.botId ? { contactId: other.id } : {} }
  }

  /** Found before anything is written: an upsert happens whole or not at all. */
  function findProblems({ organizationId, botId }: BotScope, entries: UpsertEntry[]): UpsertProblem[] {
    const added = new Set<string>()
    const problems: UpsertProblem[] = []
    for (const [index, { name, emailKey }] of entries.entries()) {
      const other = findByEmailKey(organizationId, emailKey)
      if (other && other.botId !== botId) problems.push({ index, reason: 'email_taken' })
      if (other || added.has(emailKey)) continue
      if (name === undefined) problems.push({ index, reason: 'name_missing' })
      else added.add(emailKey)
    }
    return problems
  }

  function upsertEntry(scope: BotScope, { id, createdAt, ...entry }: UpsertEntry): string {
    const found = findByEmailKey(scope.organizationId, entry.emailKey)
    if (!found) {
      const { name = '', email, emailKey, phone = '', mid = '', wid = '', updatedAt } = entry
      return insertContact(scope, { id, name, email, emailKey, phone, mid, wid, createdAt, updatedAt }).id
    }
    const { email, ...others } = entry
    changeContact(found, email === found.email ? others : { ...others, email })
    return found.id
  }

  return {
    createContact(scope, contact) {
      if (!hasBot(scope)) return 'not_found'
      return taken(scope, contact.emailKey) ?? insertContact(scope, contact)
    },
    updateContact(scope: ContactScope, changes) {
      const before = findContact(scope)
      if (!before) return 'not_found'
      const conflict = changes.emailKey === undefined ? undefined : taken(scope, changes.emailKey, before.id)
      return conflict ?? changeContact(before, changes)
    },
    upsertContacts(scope, entries) {
      if (!hasBot(scope)) return 'not_found'
      const problems = findProblems(scope, entries)
      return problems.length > 0 ? { problems } : { ids: entries.map(entry => upsertEntry(scope, entry)) }
    },
  }
}
