import type { ConversationEventName, Message } from '../../../contract/index.ts'
import type { Database, Flag, Queries } from '../database.ts'
import type { Handover, NewMessage, Store } from '../store.ts'
import { hasResponderSql } from './common.ts'
import { type ConversationStatus, isPaused, nextStatus, statusColumns } from './conversationStatus.ts'
import { lockOpenConversation } from './conversations.ts'
import { enqueue } from './deliveries.ts'
import { handoverEnd } from './hours.ts'
import { append, changeStatus, eventMessage, eventsOfMessage } from './messages.ts'
import type { NewNote } from './notes.ts'

const isExpiredSql = 'paused_until <= $1'

export function handovers(db: Database) {
  return {
    requestHandover: (hash, handover) =>
      db.transact(async tx => {
        const conversation = await lockOpenConversation(tx, hash, handover.at)
        if (!conversation) return 'ended'
        const { state, pausedUntil } = conversation
        // A visitor who waits without a handover may ask for one: the organization's server is told.
        const isHandedOver = state === 'open' || pausedUntil !== null
        if (isHandedOver && isPaused(conversation, handover.at)) {
          // Where the responder answers those who wait, the visitor may ask again: it is said again that the team knows.
          const canAskAgain = state === 'waiting' && (await findLastAuthor(tx, conversation.id)) === 'bot'
          if (!canAskAgain) return 'paused'
        }
        await handOver(tx, conversation, handover)
        return 'requested'
      }),
    async expirePauses(now, limit) {
      // Checks without a write first: nodes poll all the time, and usually none has expired.
      if (!(await db.one(`SELECT id FROM conversations WHERE ${isExpiredSql} LIMIT 1`, [now]))) return []
      return db.transact(async tx => {
        // Skips conversations that another node is writing to.
        const rows = await tx.all<AnsweredConversation & { botId: string }>(
          `SELECT v.id, v.bot_id AS "botId", ${statusColumns}, ${hasResponderSql} AS "hasResponder"
           FROM conversations v JOIN bots b ON b.id = v.bot_id
           WHERE ${isExpiredSql} LIMIT $2 FOR NO KEY UPDATE OF v SKIP LOCKED`,
          [now, limit],
        )
        for (const conversation of rows) {
          const event = conversation.state === 'waiting' ? 'handover_expired' : undefined
          await handBack(tx, conversation, { at: now, event })
        }
        return rows.map(({ id, botId }) => ({ conversationId: id, botId }))
      })
    },
  } satisfies Partial<Store>
}

/**
 * Hands a conversation over to the team, after the responder's last reply if there is one. If the visitor waits already, only
 * the message says so again. Resolves to the first message.
 */
export async function handOver(
  tx: Queries,
  conversation: ConversationStatus & { id: string },
  handover: Handover,
  reply?: NewMessage,
) {
  const { at } = handover
  const event = eventMessage('handover_requested', at)
  const { id, state, pausedUntil } = conversation
  const isRepeated = state === 'waiting' && pausedUntil !== null && pausedUntil > at
  const status = isRepeated
    ? conversation
    : nextStatus(
        conversation,
        { type: 'handed_over', until: await handoverEnd(tx, id, handover) },
        { at, hasResponder: true },
      )
  const stored = await append(tx, id, reply ? [reply, event] : [event], { status })
  await tx.all('DELETE FROM turns WHERE conversation_id = $1', [id])
  if (reply) await enqueue(tx, id, stored.createdAt, eventsOfMessage(stored, false))
  if (!isRepeated) await enqueue(tx, id, at, [{ type: 'handover.requested' }])
  return stored
}

/** A conversation with who answers it. */
export interface AnsweredConversation extends ConversationStatus {
  id: string
  /** Whether the bot has a responder. Otherwise only people answer. */
  hasResponder: Flag
}

/** Lets the responder answer again. The visitor is told by the `event`, unless there is no responder. */
export async function handBack(
  tx: Queries,
  conversation: AnsweredConversation,
  { at, event, note }: { at: string; event?: ConversationEventName | undefined; note?: NewNote | undefined },
): Promise<void> {
  const { id, hasResponder } = conversation
  const isAnswered = !hasResponder && (await findLastAuthor(tx, id)) === 'agent'
  const status = nextStatus(conversation, { type: 'handed_back', isAnswered }, { at, hasResponder })
  if (event && hasResponder) await append(tx, id, [eventMessage(event, at)], { status, note })
  else await changeStatus(tx, id, status, { at, note })
}

/** Finds who has written the last message. */
async function findLastAuthor(tx: Queries, conversationId: string): Promise<Message['author'] | undefined> {
  const last = await tx.one<Pick<Message, 'author'>>(
    'SELECT author FROM messages WHERE conversation_id = $1 ORDER BY seq DESC LIMIT 1',
    [conversationId],
  )
  return last?.author
}
