import type { Message, Rating } from '../../../contract/index.ts'
import { type Database, parseJson, type Queries } from '../database.ts'
import type { ConversationStore } from '../store.ts'
import { recordAudit } from './audit.ts'
import { countsAsUnread } from './common.ts'
import { lockOpenConversation } from './conversations.ts'
import { enqueue, withdrawUnreadNotices } from './deliveries.ts'
import { type MessageRecord, messageColumns, toMessage } from './messages.ts'
import { lock } from './teamConversations.ts'
import { giveBackTurn } from './turns.ts'

/** What is left of a message that the organization removes. */
const toTombstone = ({ id, seq, author, createdAt }: Message, removedAt: string): Message => ({
  id,
  seq,
  author,
  text: '',
  format: 'plain',
  createdAt,
  removedAt,
})

/** The same in SQL: the columns of the message that a removal clears, as assignments. */
const clearRemovedSql = "text = '', format = 'plain', extras = '{}', context = NULL, member_id = NULL, rating = NULL"

/** Whether the visitor can rate the message. */
const isAnswer = ({ author, removedAt }: Pick<Message, 'author' | 'removedAt'>): boolean =>
  (author === 'bot' || author === 'agent') && removedAt === undefined

/** The answer with another rating. */
function withRating({ rating: _, ...message }: Message, rating: Rating | null): Message {
  return rating ? { ...message, rating } : message
}

/** The data of an event that waits to be delivered, with what is left of its message; `null` if it has another one. */
function replaceRemovedMessage<Data extends { message?: Message }>(data: Data, message: Message): Data | null {
  return data.message?.id === message.id ? { ...data, message } : null
}

/** The changes of stored messages. Each of them raises the revision of its conversation. */
export function messageChanges(db: Database): Pick<ConversationStore, 'deleteMessage' | 'rateMessage'> {
  return {
    deleteMessage: (scope, which, messageId, at, member) =>
      db.transact(async tx => {
        const found = await lock(tx, scope, which)
        const row = found && (await findMessage(tx, found.id, messageId))
        if (!found || !row) return 'not_found'
        const { id } = found
        if (row.removedAt !== null) return { conversationId: id, wasDeleted: true }
        const stored = toMessage(row)
        const changed = await tx.one<{ revision: number; unread: number }>(
          `UPDATE conversations SET revision = revision + 1, changed_at = $4,
             unread = unread - CASE WHEN $3 AND read_seq < $2 THEN 1 ELSE 0 END
           WHERE id = $1 RETURNING revision, unread`,
          [id, stored.seq, countsAsUnread(stored), at],
        )
        await tx.all(
          `UPDATE messages SET ${clearRemovedSql}, removed_at = $3, revision = $4
           WHERE conversation_id = $1 AND seq = $2`,
          [id, stored.seq, at, changed?.revision],
        )
        await tx.all('DELETE FROM message_texts WHERE conversation_id = $1 AND seq = $2', [id, stored.seq])
        await tx.all('DELETE FROM attachments WHERE conversation_id = $1 AND message_id = $2', [id, messageId])
        const message = toTombstone(stored, at)
        await restartTurn(tx, id)
        await removeFromEvents(tx, id, message)
        if (changed?.unread === 0) await withdrawUnreadNotices(tx, id)
        await enqueue(tx, id, at, [{ type: 'message.removed', message }])
        if (member)
          await recordAudit(tx, {
            ...{ organizationId: scope.organizationId, event: 'message_removed', member },
            ...{ conversationId: id, createdAt: at },
          })
        return { conversationId: id, wasDeleted: false }
      }),
    rateMessage: (hash, messageId, rating, at) =>
      db.transact(async tx => {
        const conversation = await lockOpenConversation(tx, hash, at)
        if (!conversation) return 'ended'
        const { id } = conversation
        const row = await findMessage(tx, id, messageId)
        const answer = row && toMessage(row)
        if (!answer || !isAnswer(answer)) return 'not_found'
        const message = withRating(answer, rating)
        if (row.rating === rating) return { change: { revision: row.revision ?? 0, message }, isSame: true }
        const revision = conversation.revision + 1
        await tx.all('UPDATE conversations SET revision = $2, changed_at = $3 WHERE id = $1', [id, revision, at])
        await tx.all('UPDATE messages SET rating = $3, revision = $4 WHERE conversation_id = $1 AND id = $2', [
          id,
          messageId,
          rating,
          revision,
        ])
        await enqueue(tx, id, at, [{ type: 'message.rated', message }])
        return { change: { revision, message }, isSame: false }
      }),
  }
}

type ChangeableRecord = MessageRecord & { revision: number | null }

/** Finds a message with a text: an event has none, so there is nothing to change. */
function findMessage(tx: Queries, conversationId: string, id: string): Promise<ChangeableRecord | undefined> {
  return tx.one<ChangeableRecord>(
    `SELECT ${messageColumns}, revision FROM messages WHERE conversation_id = $1 AND id = $2 AND event IS NULL`,
    [conversationId, id],
  )
}

async function removeFromEvents(tx: Queries, conversationId: string, message: Message): Promise<void> {
  const waiting = await tx.all<{ number: number; data: string }>(
    `SELECT number, data FROM deliveries WHERE conversation_id = $1 AND data -> 'message' ->> 'id' = $2`,
    [conversationId, message.id],
  )
  for (const { number, data } of waiting) {
    const changed = replaceRemovedMessage(parseJson<{ message?: Message }>(data), message)
    if (changed) await tx.all('UPDATE deliveries SET data = $2 WHERE number = $1', [number, JSON.stringify(changed)])
  }
}

/** Lets a turn begin again, because the responder has been given the removed text; ends it if nothing is left to answer. */
async function restartTurn(tx: Queries, conversationId: string): Promise<void> {
  await giveBackTurn(tx, conversationId, null)
  await tx.all(
    `DELETE FROM turns AS t WHERE conversation_id = $1 AND NOT EXISTS (SELECT 1 FROM messages m
       WHERE m.conversation_id = $1 AND m.seq >= t.from_seq AND m.author = 'visitor' AND m.removed_at IS NULL)`,
    [conversationId],
  )
}
