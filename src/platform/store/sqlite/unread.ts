import type { DatabaseSync } from 'node:sqlite'
import { maxFutureTime } from '../maxFutureTime.ts'
import { presenceToleranceMs, unreadBatchSize } from '../rules/unread.ts'
import type { DeliveryStore } from '../store.ts'
import { prepare, type Sync } from './connection.ts'
import { prepareEnqueue } from './deliveries.ts'

export type UnreadWrites = Sync<Pick<DeliveryStore, 'recordPresence' | 'enqueueUnreadNotices'>>

/** Checks without a write whether a contact has unread messages that were not reported. */
export function unreadReads(db: DatabaseSync): { hasUnread(): boolean } {
  const unread = db.prepare('SELECT 1 FROM conversations WHERE unread_since IS NOT NULL LIMIT 1')
  return { hasUnread: () => unread.get() !== undefined }
}

export function unreadWrites(db: DatabaseSync): UnreadWrites {
  const enqueue = prepareEnqueue(db)
  const recordPresence = db.prepare(
    `UPDATE conversations SET streamed_at = $at
     WHERE unread_since IS NOT NULL AND id IN (SELECT value FROM json_each($conversationIds))`,
  )
  const takeDue = prepare<{ id: string; unread: number }>(
    db,
    `UPDATE conversations SET unread_since = NULL WHERE id IN (
       SELECT id FROM conversations WHERE unread_since <= $unreadBefore
         AND (streamed_at IS NULL OR streamed_at <= $absentBefore OR streamed_at > $latest)
       ORDER BY unread_since LIMIT ${unreadBatchSize})
     RETURNING id, unread`,
  )
  return {
    recordPresence(conversationIds, at) {
      recordPresence.run({ conversationIds: JSON.stringify(conversationIds), at })
    },
    enqueueUnreadNotices({ now, unreadBefore, absentBefore }) {
      const due = takeDue.all({ unreadBefore, absentBefore, latest: maxFutureTime(now, presenceToleranceMs) })
      // The unread messages may have been removed since.
      for (const { id, unread } of due) if (unread > 0) enqueue(id, now, [{ type: 'message.unread', unread }])
      return due.length === unreadBatchSize
    },
  }
}
