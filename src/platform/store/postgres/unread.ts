import { maxFutureTime } from '../maxFutureTime.ts'
import { closedBots } from '../moves/guards.ts'
import { latestPresenceMs, maxUnreadAtOnce } from '../rules/unread.ts'
import type { DeliveryStore } from '../store.ts'
import type { Database } from './connection.ts'
import { enqueue } from './deliveries.ts'
import { nowMs } from './moveGuards.ts'

export function unread(db: Database): Pick<DeliveryStore, 'enqueueUnread'> {
  const isOpen = `bot_id NOT IN (${closedBots(nowMs)})`
  return {
    async enqueueUnread({ streaming, now, unreadBefore, absentBefore }) {
      // Checks without a write first: usually nothing is unread.
      if (!(await db.one('SELECT id FROM conversations WHERE unread_since IS NOT NULL LIMIT 1'))) return false
      return db.transact(async tx => {
        // Skips conversations that others are writing to: they are next, and waiting for several could deadlock.
        await tx.all(
          `UPDATE conversations SET streamed_at = $1 WHERE id IN (
             SELECT id FROM conversations WHERE unread_since IS NOT NULL AND id = ANY ($2::text[]) AND ${isOpen}
             FOR NO KEY UPDATE SKIP LOCKED)`,
          [now, streaming],
        )
        const due = await tx.all<{ id: string; unread: number }>(
          `UPDATE conversations SET unread_since = NULL WHERE id IN (
             SELECT id FROM conversations WHERE unread_since <= $1 AND ${isOpen}
               AND (streamed_at IS NULL OR streamed_at <= $2 OR streamed_at > $3)
             ORDER BY unread_since LIMIT ${maxUnreadAtOnce} FOR NO KEY UPDATE SKIP LOCKED)
           RETURNING id, unread`,
          [unreadBefore, absentBefore, maxFutureTime(now, latestPresenceMs)],
        )
        // The unread messages may have been removed since.
        for (const { id, unread } of due)
          if (unread > 0) await enqueue(tx, id, now, [{ type: 'message.unread', unread }])
        return due.length === maxUnreadAtOnce
      })
    },
  }
}
