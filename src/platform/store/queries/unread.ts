import type { Database } from '../database.ts'
import type { DeliveryStore } from '../store.ts'
import { enqueueAll } from './deliveries.ts'

/** The most conversations whose unread messages one call reports. */
export const unreadBatchSize = 200

export function unread(db: Database): Pick<DeliveryStore, 'recordPresence' | 'enqueueUnreadNotices'> {
  return {
    async recordPresence(conversationIds, at) {
      // Skips conversations that others are writing to: they are next, and waiting for several could deadlock.
      await db.write(
        `UPDATE conversations SET streamed_at = $1 WHERE id IN (
           SELECT id FROM conversations WHERE unread_since IS NOT NULL AND id = ANY ($2)
           FOR NO KEY UPDATE SKIP LOCKED)`,
        [at, conversationIds],
      )
    },
    async enqueueUnreadNotices({ now, unreadBefore, absentBefore }) {
      // Checks without a write first: usually nothing is due.
      const isDue = await db.one('SELECT id FROM conversations WHERE unread_since <= $1 LIMIT 1', [unreadBefore])
      if (!isDue) return false
      return db.transact(async tx => {
        const due = await tx.all<{ conversationId: string; unread: number }>(
          `UPDATE conversations SET unread_since = NULL WHERE id IN (
             SELECT id FROM conversations WHERE unread_since <= $1
               AND (streamed_at IS NULL OR streamed_at <= $2)
             ORDER BY unread_since LIMIT ${unreadBatchSize} FOR NO KEY UPDATE SKIP LOCKED)
           RETURNING id AS "conversationId", unread`,
          [unreadBefore, absentBefore],
        )
        // The unread messages may have been removed since.
        const notices = due.flatMap(({ conversationId, unread }) =>
          unread > 0 ? [{ conversationId, event: { type: 'message.unread' as const, unread } }] : [],
        )
        await enqueueAll(tx, now, notices)
        return due.length === unreadBatchSize
      })
    },
  }
}
