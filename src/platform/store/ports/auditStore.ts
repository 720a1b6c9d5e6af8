import type { AuditEntry } from '../../../contract/desk.ts'
import type { ListPage } from './common.ts'

/** What a member has done. Without a member, the command line has done it. */
export interface NewAuditEntry
  extends Pick<AuditEntry, 'event' | 'member' | 'createdAt'>,
    Partial<Pick<AuditEntry, 'about' | 'conversationId' | 'contactId'>> {
  organizationId: string
}

/** What the members of teams have done. It is purged after 180 days. */
export interface AuditStore {
  /** Records what has no write of its own. A write records it itself, in its transaction. */
  recordAudit(entry: NewAuditEntry): Promise<void>
  /** A page of the entries of an organization, newest first. */
  listAudit(organizationId: string, page: ListPage): Promise<AuditEntry[]>
  /** Whether it is recorded that the member has read the conversation since. */
  findConversationRead(memberId: string, conversationId: string, since: string): Promise<boolean>
}
