import { omitUndefined } from '../omitUndefined.ts'
import type { ContactChanges, ContactRow, EmailTaken, UpsertEntry, UpsertProblem } from '../records.ts'

/** A contact that has an email key which a request names, whichever bot it belongs to. */
export interface KeyHolder extends ContactRow {
  botId: string
}

export interface UpsertPlan {
  /** The contact of each entry, in the order of the entries. */
  ids: string[]
  /** Contacts to insert, as they are after all entries. */
  added: ContactRow[]
  /** Contacts to update, as they are after all entries; without those that no entry changes. */
  changed: ContactRow[]
}

/** The contact after the changes. Returns the same object if nothing changes. */
export function applyChanges<Row extends ContactRow>(
  before: Row,
  { updatedAt, emailKey, ...changes }: ContactChanges,
): Row {
  const present = omitUndefined(changes)
  const isSame = Object.entries(present).every(([name, value]) => value === before[name as keyof ContactRow])
  if (isSame) return before
  const key = emailKey === undefined ? {} : { emailKey }
  return { ...before, ...present, ...key, updatedAt: later(before.updatedAt, updatedAt) }
}

/** Nodes have different clocks, and calls wait: a change may have an earlier time than the one before it. */
const later = (one: string, other: string): string => (one > other ? one : other)

/** The contact that an entry adds. */
export function toContactRow(entry: UpsertEntry): ContactRow {
  const { id, name = '', email, emailKey, phone = '', mid = '', wid = '', createdAt, updatedAt } = entry
  return { id, name, email, emailKey, phone, mid, wid, createdAt, updatedAt }
}

/** The answer to a request for an email that another contact has. It hides the id of a contact of another bot. */
export const emailTaken = (holder: { id: string; botId: string }, botId: string): EmailTaken => ({
  taken: holder.botId === botId ? { contactId: holder.id } : {},
})

/** Whether an upsert is so large that few of its kind may wait and run at the same time, and other writes go first. */
export const isLargeUpsert = (entries: UpsertEntry[]): boolean => entries.length > 100

/**
 * Plans the writes of an upsert whose entries are applied in order. `holders` are the contacts that have the entries'
 * email keys. If an entry cannot be applied, nothing may be written.
 */
export function planUpsert(
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
