import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { maxHistory } from '../../../contract/bots.ts'
import { eventsOfMessage, orderForTurn } from '../rules/messages.ts'
import { openSessionSql } from '../rules/sessions.ts'
import { dueTurnSql, firstMessageSql, latestLeaseEnd } from '../rules/turns.ts'
import type { LeasedTurn, TurnStore } from '../store.ts'
import { prepare, type Sync } from './connection.ts'
import { conversationReads } from './conversations.ts'
import { prepareEnqueue } from './deliveries.ts'
import { prepareHandOver } from './handovers.ts'
import { prepareAppend } from './messages.ts'
import { turnLog } from './turnLog.ts'

export type TurnWrites = Sync<TurnStore>

const isDueSql = dueTurnSql('$now', '$latest')
const dueSql = `FROM turns t JOIN conversations v ON v.id = t.conversation_id
  WHERE ${isDueSql} AND v.bot_id NOT IN (SELECT value FROM json_each($full))`
const dueAt = (now: string) => ({ now, latest: latestLeaseEnd(now) })

/** Checks without a write whether anything is due: a server polls all the time. */
export function dueTurnReads(db: DatabaseSync): { hasDueTurn(now: string, fullBots?: string[]): boolean } {
  const due = db.prepare(`SELECT 1 ${dueSql} LIMIT 1`)
  return {
    hasDueTurn: (now, fullBots = []) => due.get({ ...dueAt(now), full: JSON.stringify(fullBots) }) !== undefined,
  }
}

export function turnWrites(db: DatabaseSync): TurnWrites {
  const append = prepareAppend(db)
  const handOver = prepareHandOver(db)
  const enqueue = prepareEnqueue(db)
  const log = turnLog(db)
  const { listMessagesWithContext, findConversation } = conversationReads(db)
  const lease = prepare<LeasedRecord>(
    db,
    `UPDATE turns SET owner = $owner, lease_until = $leaseUntil, leased_seq = last_seq, attempt = attempt + 1,
       -- A message that was sent after the stop has to be answered.
       is_stopped = is_stopped AND leased_seq >= last_seq
     WHERE conversation_id IN (SELECT t.conversation_id ${dueSql} ORDER BY ${firstMessageSql('t')} LIMIT $limit)
     RETURNING conversation_id AS conversationId, from_seq AS fromSeq, attempt, source, reply_id AS formerReplyId,
       is_stopped AS isStopped`,
  )
  const setReplyId = db.prepare('UPDATE turns SET reply_id = ? WHERE conversation_id = ?')
  const renew = prepare<{ isStopped: number }>(
    db,
    'UPDATE turns SET lease_until = ? WHERE conversation_id = ? AND owner = ? RETURNING is_stopped AS isStopped',
  )
  const open = prepare<{ id: string }>(
    db,
    `SELECT v.id FROM sessions s JOIN conversations v ON v.id = s.conversation_id
     WHERE s.hash = ? AND ${openSessionSql('?')}`,
  )
  const stopLeased = db.prepare(
    'UPDATE turns SET is_stopped = 1 WHERE conversation_id = ? AND reply_id = ? AND owner IS NOT NULL',
  )
  const endWaiting = db.prepare(
    'DELETE FROM turns WHERE conversation_id = ? AND reply_id = ? AND owner IS NULL AND last_seq <= leased_seq',
  )
  const giveBack = prepare<{ attempt: number }>(
    db,
    `UPDATE turns SET owner = NULL, lease_until = '', attempt = attempt - 1 WHERE conversation_id = ? AND owner = ?
     RETURNING attempt`,
  )
  const held = prepare<HeldRecord>(
    db,
    'SELECT last_seq AS lastSeq, leased_seq AS leasedSeq FROM turns WHERE conversation_id = ? AND owner = ?',
  )
  const messageWithId = db.prepare('SELECT 1 FROM messages WHERE conversation_id = ? AND id = ?')
  const end = db.prepare('DELETE FROM turns WHERE conversation_id = ?')
  const startNext = db.prepare(
    `UPDATE turns SET from_seq = leased_seq + 1, owner = NULL, lease_until = '', attempt = 0, is_stopped = 0, reply_id = NULL
     WHERE conversation_id = ?`,
  )

  function toTurn({ fromSeq, source, ...leased }: LeasedRecord, now: string): LeasedTurn {
    const { conversationId, attempt } = leased
    const replyId = randomUUID()
    setReplyId.run(replyId, conversationId)
    const conversation = findConversation(conversationId)
    const botId = conversation?.botId ?? ''
    if (attempt === 1) log.begin({ botId, conversationId, source, at: now })
    return {
      ...leased,
      botId,
      contact: conversation?.contact ?? null,
      locale: conversation?.locale ?? null,
      messages: orderForTurn(listMessagesWithContext(conversationId, { limit: maxHistory }), fromSeq),
      replyId,
      isStopped: leased.isStopped === 1,
      recentTurns: log.count(conversationId),
    }
  }

  /** Messages that arrived since the lease form the next turn. */
  function endHeld(conversationId: string, { lastSeq, leasedSeq }: HeldRecord): void {
    ;(lastSeq > leasedSeq ? startNext : end).run(conversationId)
  }

  return {
    leaseTurns: (owner, now, leaseUntil, limit, fullBots = []) =>
      lease
        .all({ owner, leaseUntil, limit, full: JSON.stringify(fullBots), ...dueAt(now) })
        .map(row => toTurn(row, now)),
    renewTurns: (held, leaseUntil) =>
      held.map(([conversationId, owner]) => {
        const turn = renew.get(leaseUntil, conversationId, owner)
        return turn ? (turn.isStopped === 1 ? 'stopped' : 'held') : 'lost'
      }),
    stopTurn(hash, replyId, at) {
      const conversation = open.get(hash, at)
      if (!conversation) return 'ended'
      endWaiting.run(conversation.id, replyId)
      return stopLeased.run(conversation.id, replyId).changes > 0
    },
    giveBackTurn(conversationId, owner) {
      // The next lease logs the turn again.
      if (giveBack.get(conversationId, owner)?.attempt === 0) log.forget(conversationId)
    },
    completeTurn(conversationId, owner, reply, { refused = false, handover } = {}) {
      const turn = held.get(conversationId, owner)
      if (!turn) return null
      if (refused) log.forget(conversationId)
      const existing = messageWithId.get(conversationId, reply.id)
      const message = append(conversationId, existing ? { ...reply, id: randomUUID() } : reply)
      endHeld(conversationId, turn)
      enqueue(conversationId, message.createdAt, eventsOfMessage(message, false))
      if (handover) handOver(conversationId, handover)
      return message
    },
    endTurn(conversationId, owner, handover) {
      const turn = held.get(conversationId, owner)
      if (turn) endHeld(conversationId, turn)
      if (turn && handover) handOver(conversationId, handover)
      return turn !== undefined
    },
  }
}

interface HeldRecord {
  lastSeq: number
  leasedSeq: number
}

interface LeasedRecord {
  conversationId: string
  fromSeq: number
  attempt: number
  source: number | null
  formerReplyId: string | null
  isStopped: number
}
