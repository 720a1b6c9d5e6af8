import type { DatabaseSync } from 'node:sqlite'
import { eraseFilesBatchSize, uploadLimit } from '../rules/attachments.ts'
import { deliveryLimit, endOfSessionSql, turnLogLimit } from '../rules/purge.ts'
import { openSessionSql } from '../rules/sessions.ts'
import { countsAsUnreadSql } from '../rules/unread.ts'
import type { PurgeLimits } from '../store.ts'
import { prepare } from './connection.ts'
import { prepareEraseContent } from './eraseContent.ts'

export interface PurgeWrites {
  /** Deletes about `limit` rows of each kind, so that other writes can run in between; returns whether any are left. */
  purgeSome(limits: PurgeLimits, limit: number): boolean
}

/** Creates a purge that calls `onEnd` when nothing is left. */
export function purgeWrites(db: DatabaseSync, onEnd: () => void): PurgeWrites {
  const organizationTokens = db.prepare('DELETE FROM organization_tokens WHERE revoked_at < ?')
  const requests = db.prepare(
    `DELETE FROM idempotency WHERE rowid IN
       (SELECT rowid FROM idempotency WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
  )
  const uploads = db.prepare(
    `DELETE FROM attachments WHERE rowid IN
       (SELECT rowid FROM attachments WHERE message_id IS NULL AND created_at <= ?
        ORDER BY created_at LIMIT ${eraseFilesBatchSize})`,
  )
  const turnLog = db.prepare(
    'DELETE FROM turn_log WHERE number IN (SELECT number FROM turn_log WHERE begun_at < ? ORDER BY begun_at LIMIT ?)',
  )
  const oldDeliveries = db.prepare(
    'DELETE FROM deliveries WHERE created_at <= ? AND number IN (SELECT number FROM deliveries ORDER BY number LIMIT ?)',
  )
  const over = `(SELECT hash FROM sessions WHERE ${endOfSessionSql} < ? ORDER BY ${endOfSessionSql}, hash LIMIT ?)`
  const filesOfAnonymous = db.prepare(
    `DELETE FROM attachments WHERE rowid IN (SELECT a.rowid FROM sessions s JOIN attachments a USING (conversation_id)
       WHERE s.contact_id IS NULL AND s.hash IN ${over} LIMIT ${eraseFilesBatchSize})`,
  )
  const eraseContentOfAnonymous = prepareEraseContent(
    db,
    `SELECT conversation_id FROM sessions WHERE contact_id IS NULL AND hash IN ${over}`,
  )
  const anonymous = db.prepare(
    `DELETE FROM conversations WHERE contact_id IS NULL
       AND id IN (SELECT conversation_id FROM sessions WHERE hash IN ${over})`,
  )
  const sessions = db.prepare(`DELETE FROM sessions WHERE hash IN ${over}`)
  const inactive = prepare<{ id: string; contactId: string | null }>(
    db,
    `SELECT id, contact_id AS contactId FROM conversations INDEXED BY conversations_newest
     WHERE bot_id IN (SELECT id FROM bots) AND last_message_at < ? LIMIT 1`,
  )
  const forgetUnread = db.prepare(
    `UPDATE conversations SET unread = unread - (SELECT count(*)
       FROM (SELECT seq, author, event, removed_at FROM messages WHERE conversation_id = $id ORDER BY seq LIMIT $limit)
       WHERE seq <= $last AND seq > conversations.read_seq AND ${countsAsUnreadSql})
     WHERE id = $id`,
  )
  // The oldest messages that together have about as many files as can be deleted at once.
  const lastWithFiles = prepare<{ seq: number }>(
    db,
    `SELECT m.seq FROM attachments a JOIN messages m ON m.conversation_id = a.conversation_id AND m.id = a.message_id
     WHERE a.conversation_id = ? ORDER BY m.seq LIMIT 1 OFFSET ${eraseFilesBatchSize - 1}`,
  )
  const messages = db.prepare(
    `DELETE FROM messages WHERE conversation_id = $id AND seq <= $last
       AND seq IN (SELECT seq FROM messages WHERE conversation_id = $id ORDER BY seq LIMIT $limit)`,
  )
  const endTurn = db.prepare('DELETE FROM turns WHERE conversation_id = ?')
  const removeDeliveries = db.prepare('DELETE FROM deliveries WHERE conversation_id = ?')
  // The row stays with its last seq, since a seq must never be assigned twice.
  const empty = db.prepare('UPDATE conversations SET last_message_at = NULL, locale = NULL WHERE id = ?')
  const close = db.prepare(
    `DELETE FROM conversations WHERE id = $id AND NOT EXISTS
       (SELECT 1 FROM sessions WHERE conversation_id = $id AND contact_id IS NULL AND ${openSessionSql('$now')})`,
  )

  /** Empties conversations until about `limit` messages are deleted; returns whether there may be more. */
  function purgeInactive(before: string, now: string, limit: number): boolean {
    for (let left = limit; left > 0; ) {
      const conversation = inactive.get(before)
      if (!conversation) return false
      const { id, contactId } = conversation
      const { seq: last = Number.MAX_SAFE_INTEGER } = lastWithFiles.get(id) ?? {}
      forgetUnread.run({ id, limit: left, last })
      const removed = Number(messages.run({ id, limit: left, last }).changes)
      if (removed === left || last < Number.MAX_SAFE_INTEGER) return true
      left -= removed + 1
      endTurn.run(id)
      removeDeliveries.run(id)
      empty.run(id)
      if (contactId === null) close.run({ id, now })
    }
    return true
  }

  return {
    purgeSome({ now, endedBefore, lastMessageBefore }, limit) {
      organizationTokens.run(endedBefore)
      if (Number(filesOfAnonymous.run(endedBefore, limit).changes) === eraseFilesBatchSize) return true
      if (eraseContentOfAnonymous(endedBefore, limit)) return true
      anonymous.run(endedBefore, limit)
      const removed = [
        sessions.run(endedBefore, limit),
        requests.run(now, limit),
        turnLog.run(turnLogLimit(now), limit),
      ]
      const hasUploads = Number(uploads.run(uploadLimit(now)).changes) === eraseFilesBatchSize
      const hasDeliveries = Number(oldDeliveries.run(deliveryLimit(now), limit).changes) === limit
      const hasInactive = lastMessageBefore !== undefined && purgeInactive(lastMessageBefore, now, limit)
      const hasRows = removed.some(({ changes }) => Number(changes) === limit)
      const hasMore = hasInactive || hasUploads || hasDeliveries || hasRows
      if (!hasMore) onEnd()
      return hasMore
    },
  }
}
