import type { DatabaseSync } from 'node:sqlite'
import type { ConversationEventName } from '../../../contract/index.ts'
import { hasResponderSql } from '../rules/bots.ts'
import { eventMessage } from '../rules/messages.ts'
import { expiredHandoverSql, isPaused, latestPauseEnd } from '../rules/pauses.ts'
import { openSessionSql } from '../rules/sessions.ts'
import type { ConversationStore, Handover } from '../store.ts'
import { prepare, type Sync } from './connection.ts'
import { prepareEnqueue } from './deliveries.ts'
import { prepareAppend } from './messages.ts'

export type HandoverWrites = Sync<Pick<ConversationStore, 'requestHandover' | 'expireHandovers'>>

const isExpiredSql = expiredHandoverSql('$now', '$latest')
const expiredAt = (now: string) => ({ now, latest: latestPauseEnd(now) })

/** Checks without a write whether any handover has expired: a server polls all the time. */
export function expiredHandoverReads(db: DatabaseSync): { hasExpiredHandover(now: string): boolean } {
  const expired = db.prepare(`SELECT 1 FROM conversations WHERE ${isExpiredSql} LIMIT 1`)
  return { hasExpiredHandover: now => expired.get(expiredAt(now)) !== undefined }
}

/** Hands a conversation over to the team. Call it in the writer's transaction. */
export function prepareHandOver(db: DatabaseSync): (conversationId: string, handover: Handover) => void {
  const append = prepareAppend(db)
  const enqueue = prepareEnqueue(db)
  const pause = db.prepare('UPDATE conversations SET paused_until = ?, waiting_since = ? WHERE id = ?')
  const endTurn = db.prepare('DELETE FROM turns WHERE conversation_id = ?')
  return (conversationId, { at, until }) => {
    append(conversationId, eventMessage('handover_requested', at))
    pause.run(until, at, conversationId)
    endTurn.run(conversationId)
    enqueue(conversationId, at, [{ type: 'handover.requested' }])
  }
}

/**
 * Ends the pause of the responder. The visitor is told, unless there is no responder that could answer again. Call it in the
 * writer's transaction.
 */
export function prepareEndPause(
  db: DatabaseSync,
): (conversationId: string, event: ConversationEventName, at: string) => void {
  const append = prepareAppend(db)
  const end = prepare<{ hasResponder: number }>(
    db,
    `UPDATE conversations SET paused_until = NULL, waiting_since = NULL WHERE id = ?
     RETURNING (SELECT ${hasResponderSql} FROM bots b WHERE b.id = bot_id) AS hasResponder`,
  )
  return (conversationId, event, at) => {
    if (end.get(conversationId)?.hasResponder === 1) append(conversationId, eventMessage(event, at))
  }
}

export function handoverWrites(db: DatabaseSync): HandoverWrites {
  const handOver = prepareHandOver(db)
  const endPause = prepareEndPause(db)
  const openConversation = prepare<{ id: string; pausedUntil: string | null }>(
    db,
    `SELECT v.id, v.paused_until AS pausedUntil FROM sessions s JOIN conversations v ON v.id = s.conversation_id
     WHERE s.hash = ? AND ${openSessionSql('?')}`,
  )
  const expired = prepare<{ id: string }>(db, `SELECT id FROM conversations WHERE ${isExpiredSql} LIMIT $limit`)
  return {
    requestHandover(hash, handover) {
      const conversation = openConversation.get(hash, handover.at)
      if (!conversation) return 'ended'
      if (isPaused(conversation.pausedUntil, handover.at)) return 'paused'
      handOver(conversation.id, handover)
      return 'requested'
    },
    expireHandovers(now, limit) {
      const ids = expired.all({ ...expiredAt(now), limit }).map(({ id }) => id)
      for (const id of ids) endPause(id, 'handover_expired', now)
      return ids
    },
  }
}
