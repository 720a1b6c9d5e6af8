import type { DatabaseSync } from 'node:sqlite'
import type { Message } from '../../../contract/index.ts'
import { messageColumns } from '../rules/messageColumns.ts'
import { clearRemovedSql, isAnswer, replaceRemovedMessage, toTombstone, withRating } from '../rules/messages.ts'
import { openSessionSql } from '../rules/sessions.ts'
import { countsAsUnread } from '../rules/unread.ts'
import type { ConversationStore } from '../store.ts'
import { prepareFindConversationId } from './agents.ts'
import { prepare, type Sync } from './connection.ts'
import { prepareEnqueue, prepareWithdrawUnreadNotice } from './deliveries.ts'
import { type MessageRecord, toMessage } from './messages.ts'
import { turnLog } from './turnLog.ts'

/** The changes of stored messages. Each of them raises the revision of its conversation. */
export type MessageChanges = Sync<Pick<ConversationStore, 'removeMessage' | 'rateMessage'>>

export function messageChanges(db: DatabaseSync): MessageChanges {
  const find = prepareFindConversationId(db)
  const log = turnLog(db)
  const enqueue = prepareEnqueue(db)
  // Only messages with a text: an event has none, so there is nothing to change.
  const byId = prepare<MessageRecord & { revision: number | null }>(
    db,
    `SELECT ${messageColumns}, revision FROM messages WHERE conversation_id = ? AND id = ? AND event IS NULL`,
  )
  const raiseRevision = prepare<{ revision: number }>(
    db,
    'UPDATE conversations SET revision = revision + 1 WHERE id = ? RETURNING revision',
  )
  const forgetUnread = prepare<{ unread: number }>(
    db,
    'UPDATE conversations SET unread = unread - 1 WHERE id = ? AND read_seq < ? RETURNING unread',
  )
  const withdrawUnreadNotice = prepareWithdrawUnreadNotice(db)
  const remove = db.prepare(
    `UPDATE messages SET ${clearRemovedSql}, removed_at = $at, revision = $revision
     WHERE conversation_id = $id AND seq = $seq`,
  )
  const openConversation = prepare<{ id: string }>(
    db,
    `SELECT v.id FROM sessions s JOIN conversations v ON v.id = s.conversation_id
     WHERE s.hash = ? AND ${openSessionSql('?')}`,
  )
  const rate = db.prepare('UPDATE messages SET rating = ?, revision = ? WHERE conversation_id = ? AND id = ?')
  const removeFiles = db.prepare('DELETE FROM attachments WHERE conversation_id = ? AND message_id = ?')
  const waitingEvents = prepare<{ number: number; data: string }>(
    db,
    `SELECT number, data FROM deliveries WHERE conversation_id = ? AND data ->> '$.message.id' = ?`,
  )
  const changeEvent = db.prepare('UPDATE deliveries SET data = ? WHERE number = ?')
  // The responder has been given the removed text.
  const restartTurn = prepare<{ attempt: number }>(
    db,
    `UPDATE turns SET owner = NULL, lease_until = '', attempt = attempt - 1
     WHERE conversation_id = ? AND owner IS NOT NULL RETURNING attempt`,
  )
  const endEmptyTurn = db.prepare(
    `DELETE FROM turns WHERE conversation_id = ? AND NOT EXISTS (SELECT 1 FROM messages m
       WHERE m.conversation_id = turns.conversation_id AND m.seq >= turns.from_seq AND m.author = 'visitor'
         AND m.removed_at IS NULL)`,
  )

  function removeFromEvents(conversationId: string, message: Message): void {
    for (const { number, data } of waitingEvents.all(conversationId, message.id)) {
      const changed = replaceRemovedMessage(JSON.parse(data) as { message?: Message }, message)
      if (changed) changeEvent.run(JSON.stringify(changed), number)
    }
  }

  return {
    removeMessage(scope, which, messageId, at) {
      const id = find(scope, which)
      const row = id === undefined ? undefined : byId.get(id, messageId)
      if (id === undefined || !row) return 'not_found'
      if (row.removedAt !== null) return { conversationId: id, wasRemoved: true }
      const stored = toMessage(row)
      const { seq } = stored
      const revision = raiseRevision.get(id)?.revision ?? 0
      if (countsAsUnread(stored) && forgetUnread.get(id, seq)?.unread === 0) withdrawUnreadNotice(id)
      remove.run({ id, seq, at, revision })
      removeFiles.run(id, messageId)
      const message = toTombstone(stored, at)
      removeFromEvents(id, message)
      enqueue(id, at, [{ type: 'message.removed', message }])
      if (restartTurn.get(id)?.attempt === 0) log.forget(id)
      endEmptyTurn.run(id)
      return { conversationId: id, wasRemoved: false }
    },
    rateMessage(hash, messageId, rating, at) {
      const conversation = openConversation.get(hash, at)
      if (!conversation) return 'ended'
      const { id } = conversation
      const row = byId.get(id, messageId)
      const answer = row && toMessage(row)
      if (!answer || !isAnswer(answer)) return 'not_found'
      const message = withRating(answer, rating)
      if (row.rating === rating) return { change: { revision: row.revision ?? 0, message }, isSame: true }
      const revision = raiseRevision.get(id)?.revision ?? 0
      rate.run(rating, revision, id, messageId)
      enqueue(id, at, [{ type: 'message.rated', message }])
      return { change: { revision, message }, isSame: false }
    },
  }
}
