import type { ConversationEventName } from '../../../contract/index.ts'
import type { Database, Flag, Queries } from '../database.ts'
import type { Handover, NewMessage, Store } from '../store.ts'
import { hasResponderSql, isPaused } from './common.ts'
import { lockOpenConversation } from './conversations.ts'
import { enqueue } from './deliveries.ts'
import { append, eventMessage, eventsOfMessage } from './messages.ts'

const isExpiredSql = 'waiting_since IS NOT NULL AND paused_until <= $1'

export function handovers(db: Database) {
  return {
    requestHandover: (hash, handover) =>
      db.transact(async tx => {
        const conversation = await lockOpenConversation(tx, hash, handover.at)
        if (!conversation) return 'ended'
        if (isPaused(conversation.pausedUntil, handover.at)) return 'paused'
        await handOver(tx, conversation.id, handover)
        return 'requested'
      }),
    async expireHandovers(now, limit) {
      // Checks without a write first: nodes poll all the time, and usually none has expired.
      if (!(await db.one(`SELECT id FROM conversations WHERE ${isExpiredSql} LIMIT 1`, [now]))) return []
      return db.transact(async tx => {
        // Skips conversations that another node is writing to.
        const rows = await tx.all<PausedConversation & { botId: string }>(
          `SELECT v.id, v.bot_id AS "botId", ${hasResponderSql} AS "hasResponder" FROM conversations v JOIN bots b ON b.id = v.bot_id
           WHERE ${isExpiredSql} LIMIT $2 FOR NO KEY UPDATE OF v SKIP LOCKED`,
          [now, limit],
        )
        for (const conversation of rows) await endPause(tx, conversation, 'handover_expired', now)
        return rows.map(({ id, botId }) => ({ conversationId: id, botId }))
      })
    },
  } satisfies Partial<Store>
}

/** Hands a conversation over to the team, after the responder's last reply if there is one. Resolves to the first message. */
export async function handOver(tx: Queries, conversationId: string, { at, until }: Handover, reply?: NewMessage) {
  const event = eventMessage('handover_requested', at)
  const stored = await append(tx, conversationId, reply ? [reply, event] : [event], {
    pause: { until, waitingSince: at },
  })
  await tx.all('DELETE FROM turns WHERE conversation_id = $1', [conversationId])
  if (reply) await enqueue(tx, conversationId, stored.createdAt, eventsOfMessage(stored, false))
  await enqueue(tx, conversationId, at, [{ type: 'handover.requested' }])
  return stored
}

export interface PausedConversation {
  id: string
  /** Whether the bot has a responder. Otherwise only people answer. */
  hasResponder: Flag
}

/** Ends the pause of the responder. The visitor is told, unless there is no responder that could answer again. */
export async function endPause(
  tx: Queries,
  { id, hasResponder }: PausedConversation,
  event: ConversationEventName,
  at: string,
): Promise<void> {
  if (hasResponder) await append(tx, id, [eventMessage(event, at)], { pause: null })
  else await tx.all('UPDATE conversations SET paused_until = NULL, waiting_since = NULL WHERE id = $1', [id])
}
