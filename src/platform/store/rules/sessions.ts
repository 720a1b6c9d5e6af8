import type { EndReason } from '../../../contract/index.ts'
import type { ContactExport, SessionRow } from '../records.ts'
import { type ContactColumns, toContactSummary } from './conversations.ts'

/** The end of a session as its columns hold it. */
interface EndColumns {
  reason: EndReason | null
  at: string
}

const toEnd = ({ reason, at }: EndColumns): SessionRow['ended'] => (reason === null ? null : { reason, at })

/** A session as its query finds it, with the contact's columns beside its own. */
export interface SessionRecord extends Omit<SessionRow, 'contact' | 'ended'>, ContactColumns, EndColumns {}

export function toSession({ reason, at, contactId, contactName, ...rest }: SessionRecord): SessionRow {
  return { ...rest, contact: toContactSummary({ contactId, contactName }), ended: toEnd({ reason, at }) }
}

/** A session as the export of a contact finds it. */
export interface ExportedSessionRecord extends EndColumns {
  createdAt: string
  expiresAt: string
}

export const toExportedSession = ({
  createdAt,
  expiresAt,
  reason,
  at,
}: ExportedSessionRecord): ContactExport['sessions'][number] => ({ createdAt, expiresAt, ended: toEnd({ reason, at }) })

/** SQL for whether a session is open: at the time `now`, a parameter, it has neither ended nor expired. */
export const openSessionSql = (now: string): string => `ended_at IS NULL AND expires_at > ${now}`

/**
 * SQL that ends the sessions which a condition after it selects; `reason` and `at` are parameters. It also ends expired
 * sessions: setting the clock back must not reopen them.
 */
export const endSessionsSql = (reason: string, at: string): string =>
  `UPDATE sessions SET end_reason = ${reason}, ended_at = ${at} WHERE ended_at IS NULL`

/** How a request names a contact. */
export interface ContactSelector {
  contactId?: string
  emailKey?: string
}

export type FoundContact = { kind: 'found'; contactId: string } | { kind: 'not_found' } | { kind: 'mismatch' }

/** The contact that a request names, out of those with its id and its email. If both are given, they must be the same. */
export function chooseContact(
  { contactId, emailKey }: ContactSelector,
  contactIdById: string | undefined,
  contactIdByEmail: string | undefined,
): FoundContact {
  const found = contactIdById ?? contactIdByEmail
  const isMissing = (contactId !== undefined && !contactIdById) || (emailKey !== undefined && !contactIdByEmail)
  if (isMissing || found === undefined) return { kind: 'not_found' }
  const isSame = contactIdById === undefined || contactIdByEmail === undefined || contactIdById === contactIdByEmail
  return isSame ? { kind: 'found', contactId: found } : { kind: 'mismatch' }
}
