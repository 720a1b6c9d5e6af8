import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Message } from '../../../contract/index.ts'
import { maxHistory } from '../../../contract/limits.ts'
import type { Database, Flag, Queries } from '../database.ts'
import type { LeasedTurn, TurnStore } from '../store.ts'
import { type ConversationStatus, statusColumns } from './conversationStatus.ts'
import { findConversation, findMessages, lockOpenConversation } from './conversations.ts'
import { enqueue } from './deliveries.ts'
import { handOver } from './handovers.ts'
import { append, eventsOfMessage, toMessageWithContext } from './messages.ts'
import { beginTurns, countTurns, forgetTurn } from './turnLog.ts'

/** SQL for the time of the first message that the turn of the row `turn` answers. */
const firstMessageSql = (turn: string): string =>
  `(SELECT m.created_at FROM messages m WHERE m.conversation_id = ${turn}.conversation_id AND m.seq = ${turn}.from_seq)`

/** Returns the messages of a turn that were not removed, in order: those that it has to answer, the visitor's from `fromSeq` on, come last. */
function orderForTurn<Kind extends Message>(messages: Kind[], fromSeq: number): Kind[] {
  const isOpen = ({ author, seq }: Message): boolean => author === 'visitor' && seq >= fromSeq
  // The reply to the previous turn may have been stored after the messages of this one.
  const kept = messages.filter(({ removedAt }) => removedAt === undefined)
  return [...kept.filter(message => !isOpen(message)), ...kept.filter(isOpen)]
}

// A turn without a lease has lease_until '', which sorts before every time.
const isDueSql = 'd.lease_until <= $1'

/** How often leasing is tried while all due turns are locked. The next poll of the node tries again after that. */
const maxLeaseTries = 5
const retryMs = 20

export function turns(db: Database): TurnStore {
  /** Leases what no other node has locked. */
  const lease = (owner: string, now: string, leaseUntil: string, limit: number, fullBots: string[]) =>
    db.transact(async tx => {
      // Locks the bots, too: concurrent nodes count the turns of a bot one after the other. The bot is locked first, because
      // PostgreSQL takes the locks of a row in the order of the FOR clauses. So a turn whose bot another node has locked is
      // skipped before it is locked itself: a visitor's next message would wait for that lock.
      const due = await tx.all<DueRecord>(
        `SELECT d.conversation_id AS "conversationId", d.reply_id AS "formerReplyId", b.id AS "botId"
         FROM turns d JOIN conversations v ON v.id = d.conversation_id JOIN bots b ON b.id = v.bot_id
         WHERE ${isDueSql} AND b.id <> ALL ($2)
         ORDER BY ${firstMessageSql('d')} NULLS FIRST LIMIT $3
         FOR NO KEY UPDATE OF b SKIP LOCKED FOR UPDATE OF d SKIP LOCKED`,
        [now, fullBots, limit],
      )
      const chosen = new Map(due.map(turn => [turn.conversationId, { ...turn, replyId: randomUUID() }]))
      const list = [...chosen.values()].map(({ conversationId, replyId }) => ({
        id: conversationId,
        reply_id: replyId,
      }))
      const rows = await tx.all<LeasedRecord>(
        `UPDATE turns AS t SET owner = $2, lease_until = $3, leased_seq = last_seq, attempt = attempt + 1,
           reply_id = chosen.reply_id,
           -- A message that was sent after the stop has to be answered.
           is_stopped = is_stopped AND leased_seq >= last_seq
         FROM json_to_recordset($1) AS chosen (id text, reply_id text) WHERE t.conversation_id = chosen.id
         RETURNING conversation_id AS "conversationId", from_seq AS "fromSeq", leased_seq AS "leasedSeq", attempt,
           is_stopped AS "isStopped"`,
        [JSON.stringify(list), owner, leaseUntil],
      )
      const leased = rows.flatMap(row => {
        const turn = chosen.get(row.conversationId)
        return turn ? [{ ...turn, ...row, isStopped: Boolean(row.isStopped) }] : []
      })
      const firstAttempts = leased.filter(({ attempt }) => attempt === 1)
      await beginTurns(tx, firstAttempts, now)
      return leased
    })

  return {
    async leaseTurns(owner, now, leaseUntil, limit, fullBots = []) {
      for (let tries = 1; ; tries++) {
        // Reads without a lock first: nodes poll all the time, and usually nothing is due.
        const anyDue = `SELECT 1 AS found FROM turns d JOIN conversations v ON v.id = d.conversation_id
          WHERE ${isDueSql} AND v.bot_id <> ALL ($2) LIMIT 1`
        if (!(await db.one(anyDue, [now, fullBots]))) return []
        const leased = await lease(owner, now, leaseUntil, limit, fullBots)
        // Only now, when no bot is locked any more.
        if (leased.length > 0 || tries === maxLeaseTries) return Promise.all(leased.map(record => toTurn(db, record)))
        // Another node is leasing turns of the same bots, which takes a few milliseconds. Not on SQLite, where no other call runs.
        await pause(retryMs)
      }
    },
    async renewTurns(held, leaseUntil) {
      const turns = await db.write<{ id: string; isStopped: Flag }>(
        `UPDATE turns AS t SET lease_until = $2 FROM json_to_recordset($1) AS held (id text, owner text)
         WHERE t.conversation_id = held.id AND t.owner = held.owner
         RETURNING conversation_id AS id, is_stopped AS "isStopped"`,
        [JSON.stringify(held.map(([id, owner]) => ({ id, owner }))), leaseUntil],
      )
      const stopped = new Map(turns.map(({ id, isStopped }) => [id, isStopped]))
      return held.map(([id]) => (stopped.has(id) ? (stopped.get(id) ? 'stopped' : 'held') : 'lost'))
    },
    stopTurn: (hash, replyId, at) =>
      db.transact(async tx => {
        const conversation = await lockOpenConversation(tx, hash, at)
        if (!conversation) return 'ended'
        const stopped = [conversation.id, replyId]
        await tx.all(
          `DELETE FROM turns WHERE conversation_id = $1 AND reply_id = $2 AND owner IS NULL AND last_seq <= leased_seq`,
          stopped,
        )
        const leased = await tx.one(
          `UPDATE turns SET is_stopped = true WHERE conversation_id = $1 AND reply_id = $2 AND owner IS NOT NULL
           RETURNING owner`,
          stopped,
        )
        return leased !== undefined
      }),
    giveBackTurn: (conversationId, owner) => db.transact(tx => giveBackTurn(tx, conversationId, owner)),
    endTurn: (conversationId, owner, { reply, refused = false, handover } = {}) =>
      db.transact(async tx => {
        // Locks the conversation first, in the same order as writers of messages, to avoid deadlocks.
        const conversation = await tx.one<ConversationStatus & { id: string }>(
          `SELECT v.id, ${statusColumns} FROM conversations v WHERE v.id = $1 FOR NO KEY UPDATE`,
          [conversationId],
        )
        if (!conversation || !(await endHeld(tx, conversationId, owner))) return 'lost'
        if (refused) await forgetTurn(tx, conversationId)
        const hasSameId = 'SELECT seq FROM messages WHERE conversation_id = $1 AND id = $2'
        const isIdTaken = reply && (await tx.one(hasSameId, [conversationId, reply.id]))
        const message = isIdTaken ? { ...reply, id: randomUUID() } : reply
        if (handover) {
          const first = await handOver(tx, conversation, handover, message)
          return message ? first : 'no_reply'
        }
        if (!message) return 'no_reply'
        const stored = await append(tx, conversationId, [message])
        await enqueue(tx, conversationId, stored.createdAt, eventsOfMessage(stored, false))
        return stored
      }),
  }
}

/** Ends the lease of a turn if it has this owner, or whoever owns it (`null`). The attempt does not count. */
export async function giveBackTurn(tx: Queries, conversationId: string, owner: string | null): Promise<void> {
  const given = await tx.one<{ attempt: number }>(
    `UPDATE turns SET owner = NULL, lease_until = '', attempt = attempt - 1
     WHERE conversation_id = $1 AND owner = coalesce($2, owner) RETURNING attempt`,
    [conversationId, owner],
  )
  // The next lease logs the turn again.
  if (given?.attempt === 0) await forgetTurn(tx, conversationId)
}

async function toTurn(db: Queries, { fromSeq, leasedSeq, ...leased }: Leased): Promise<LeasedTurn> {
  const { conversationId } = leased
  const messages = (await findMessages(db, conversationId, { limit: maxHistory })).map(toMessageWithContext)
  // What the visitor has sent since forms the next turn.
  const known = messages.filter(({ author, seq }) => author !== 'visitor' || seq <= leasedSeq)
  const conversation = await findConversation(db, conversationId)
  return {
    ...leased,
    contact: conversation?.contact ?? null,
    locale: conversation?.locale ?? null,
    messages: orderForTurn(known, fromSeq),
    recentTurns: await countTurns(db, conversationId),
  }
}

/**
 * Ends the turn if `owner` still holds its lease. Messages that arrived since the lease form the next turn. The caller has
 * locked the conversation.
 */
async function endHeld(tx: Queries, conversationId: string, owner: string): Promise<boolean> {
  const held = [conversationId, owner]
  const ended = await tx.one(
    'DELETE FROM turns WHERE conversation_id = $1 AND owner = $2 AND last_seq <= leased_seq RETURNING owner',
    held,
  )
  if (ended) return true
  const continued = await tx.one(
    `UPDATE turns SET from_seq = leased_seq + 1, owner = NULL, lease_until = '', attempt = 0, is_stopped = false, reply_id = NULL
     WHERE conversation_id = $1 AND owner = $2 RETURNING conversation_id`,
    held,
  )
  return continued !== undefined
}

type DueRecord = Pick<LeasedTurn, 'conversationId' | 'botId' | 'formerReplyId'>

interface LeasedRecord {
  conversationId: string
  fromSeq: number
  leasedSeq: number
  attempt: number
  isStopped: Flag
}

type Leased = DueRecord & LeasedRecord & Pick<LeasedTurn, 'replyId' | 'isStopped'>
