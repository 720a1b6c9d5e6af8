import type { ContactChanges, ContactRow, UpsertEntry, UpsertProblem } from '../store.ts'

export interface StandingContact extends ContactRow {
  botId: string
}

export interface UpsertPlan {
  ids: string[]
  added: ContactRow[]
  changed: ContactRow[]
}

/** What becomes of the contacts when the entries are applied in order; nothing where one of them can't be. */
export function planUpsert(
  botId: string,
  entries: UpsertEntry[],
  standing: StandingContact[],
  change: (before: ContactRow, changes: ContactChanges) => ContactRow,
): UpsertPlan | { problems: UpsertProblem[] } {
  const before = new Map<string, ContactRow>(standing.map(contact => [contact.emailKey, contact]))
  const others = new Set(standing.filter(contact => contact.botId !== botId).map(({ emailKey }) => emailKey))
  const after = new Map(before)
  const problems: UpsertProblem[] = []
  for (const [index, { id, createdAt, email, ...rest }] of entries.entries()) {
    const { emailKey, name, phone = '', mid = '', wid = '', updatedAt } = rest
    const found = after.get(emailKey)
    if (others.has(emailKey)) problems.push({ index, reason: 'email_taken' })
    else if (found) after.set(emailKey, change(found, email === found.email ? rest : { ...rest, email }))
    else if (name === undefined) problems.push({ index, reason: 'name_missing' })
    else after.set(emailKey, { id, name, email, emailKey, phone, mid, wid, createdAt, updatedAt })
  }
  if (problems.length > 0) return { problems }
  const isNew = ({ emailKey }: ContactRow) => !before.has(emailKey)
  return {
    ids: entries.map(({ emailKey }) => after.get(emailKey)?.id ?? ''),
    added: [...after.values()].filter(isNew),
    changed: [...after.values()].filter(contact => !isNew(contact) && contact !== before.get(contact.emailKey)),
  }
}
