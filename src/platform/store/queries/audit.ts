import { randomUUID } from 'node:crypto'
import type { AuditEntry } from '../../../contract/desk.ts'
import type { Database, Queries } from '../database.ts'
import type { AuditStore, NewAuditEntry } from '../store.ts'
import { afterAllTimes } from './common.ts'

interface AuditRecord extends Omit<AuditEntry, 'member'> {
  memberId: string | null
  memberName: string
}

export function audit(db: Database): AuditStore {
  return {
    recordAudit: entry => db.transact(tx => recordAudit(tx, entry)),
    async listAudit(organizationId, { after = { at: afterAllTimes, id: '' }, limit }) {
      const rows = await db.all<AuditRecord>(
        `SELECT e.id, e.event, e.member_id AS "memberId", e.member_name AS "memberName", e.about,
           e.conversation_id AS "conversationId", coalesce(e.contact_id, v.contact_id) AS "contactId",
           c.name AS "contactName", e.created_at AS "createdAt"
         FROM audit e LEFT JOIN conversations v ON v.id = e.conversation_id
           LEFT JOIN contacts c ON c.id = coalesce(e.contact_id, v.contact_id)
         WHERE e.organization_id = $1 AND (e.created_at, e.id) < ($2, $3) ORDER BY e.created_at DESC, e.id DESC LIMIT $4`,
        [organizationId, after.at, after.id, limit],
      )
      return rows.map(({ memberId, memberName, ...rest }) => ({
        ...rest,
        member: memberId === null ? null : { id: memberId, name: memberName },
      }))
    },
    async findConversationRead(memberId, conversationId, since) {
      const row = await db.one(
        `SELECT id FROM audit WHERE event = 'conversation_read' AND conversation_id = $1 AND member_id = $2
           AND created_at > $3 LIMIT 1`,
        [conversationId, memberId, since],
      )
      return row !== undefined
    },
  }
}

/** Records what the transaction does. */
export async function recordAudit(tx: Queries, entry: NewAuditEntry): Promise<void> {
  const { organizationId, event, member, about = null, conversationId = null, contactId = null, createdAt } = entry
  await tx.all(
    `INSERT INTO audit (id, organization_id, event, member_id, member_name, about, conversation_id, contact_id, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [randomUUID(), organizationId, event, member?.id, member?.name, about, conversationId, contactId, createdAt],
  )
}
