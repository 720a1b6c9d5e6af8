import type { EndReason } from '../../contract/index.ts'
import type { SessionRow } from './store.ts'

/** A session as its query finds it, with the contact's columns beside its own. */
export interface SessionRecord extends Omit<SessionRow, 'contact' | 'ended'> {
  reason: EndReason | null
  at: string
  contactId: string | null
  contactName: string
}

export function toSession({ reason, at, contactId, contactName, ...rest }: SessionRecord): SessionRow {
  return {
    ...rest,
    contact: contactId === null ? null : { id: contactId, name: contactName },
    ended: reason === null ? null : { reason, at },
  }
}
