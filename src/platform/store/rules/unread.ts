import type { Message } from '../../../contract/index.ts'

/** The most conversations whose unread messages one call reports. */
export const unreadBatchSize = 200

/** Whether a message counts as unread until the visitor has read it. */
export const countsAsUnread = ({
  author,
  event,
  removedAt,
}: Pick<Message, 'author' | 'event' | 'removedAt'>): boolean =>
  author !== 'visitor' && event === undefined && removedAt === undefined

/** The same in SQL, for a stored message. */
export const countsAsUnreadSql = "author <> 'visitor' AND event IS NULL AND removed_at IS NULL"

/** SQL for whether `message.unread` was enqueued for the unread messages of a contact's conversation `v`. */
export const isUnreadReportedSql = 'v.contact_id IS NOT NULL AND v.unread > 0 AND v.unread_since IS NULL'
