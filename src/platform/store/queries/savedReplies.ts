import type { Database } from '../database.ts'
import type { SavedReplyRow, SavedReplyStore } from '../store.ts'

/** The condition that a writer may change a row: its organization, id and role are these parameters. */
const isWritable = (organization: string, member: string, isAdmin: string): string =>
  `r.organization_id = ${organization} AND (r.member_id = ${member} OR (r.member_id IS NULL AND ${isAdmin}::boolean))`

export const savedReplies = (db: Database): SavedReplyStore => ({
  listSavedReplies: ({ organizationId, memberId }) =>
    db.all<SavedReplyRow>(
      `SELECT id, organization_id AS "organizationId", member_id AS "memberId", title, text, updated_at AS "updatedAt"
       FROM saved_replies WHERE organization_id = $1 AND (member_id IS NULL OR member_id = $2) ORDER BY title, id`,
      [organizationId, memberId],
    ),
  async saveSavedReply({ id, memberId, title, text, updatedAt }, writer) {
    // Not of a member who was removed meanwhile.
    const saved = await db.write(
      `INSERT INTO saved_replies AS r (id, organization_id, member_id, title, text, updated_at)
       SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::text FROM members WHERE id = $7 FOR KEY SHARE
       ON CONFLICT (id) DO UPDATE SET member_id = excluded.member_id, title = excluded.title, text = excluded.text,
         updated_at = excluded.updated_at
       WHERE ${isWritable('$2', '$7', '$8')} RETURNING id`,
      [id, writer.organizationId, memberId, title, text, updatedAt, writer.memberId, writer.isAdmin],
    )
    return saved.length > 0
  },
  async deleteSavedReply(id, { organizationId, memberId, isAdmin }) {
    const deleted = await db.write(
      `DELETE FROM saved_replies AS r WHERE r.id = $1 AND ${isWritable('$2', '$3', '$4')} RETURNING id`,
      [id, organizationId, memberId, isAdmin],
    )
    return deleted.length > 0
  },
})
