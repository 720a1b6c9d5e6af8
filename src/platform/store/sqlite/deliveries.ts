import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { WebhookEvent } from '../../../contract/index.ts'
import type { ContactColumns } from '../rules/conversations.ts'
import { dueDeliverySql, encodeEventData, latestDueTime } from '../rules/deliveries.ts'
import { isWanted } from '../rules/messages.ts'
import type { DeliveryStore, OutboxEvent } from '../store.ts'
import { prepare, type Sync } from './connection.ts'

export type DeliveryWrites = Sync<Omit<DeliveryStore, 'recordPresence' | 'enqueueUnreadNotices'>>

const isDueSql = dueDeliverySql('$now', '$latest')
const dueAt = (now: string) => ({ now, latest: latestDueTime(now) })

/** Checks whether anything is due, without a write. */
export function dueDeliveryReads(db: DatabaseSync): { hasDueDelivery(now: string): boolean } {
  const due = db.prepare(`SELECT 1 FROM deliveries WHERE ${isDueSql} LIMIT 1`)
  return { hasDueDelivery: now => due.get(dueAt(now)) !== undefined }
}

/** Enqueues events in the transaction that causes them, if the bot has an events webhook. */
export function prepareEnqueue(db: DatabaseSync): (conversationId: string, at: string, events: OutboxEvent[]) => void {
  const webhook = prepare<ContactColumns & { botId: string; authors: 'all' | null }>(
    db,
    `SELECT v.bot_id AS botId, c.id AS contactId, c.name AS contactName,
       b.events ->> 'authors' AS authors
     FROM conversations v JOIN bots b ON b.id = v.bot_id LEFT JOIN contacts c ON c.id = v.contact_id
     WHERE v.id = ? AND b.events IS NOT NULL`,
  )
  const insert = db.prepare(
    `INSERT INTO deliveries (id, bot_id, conversation_id, type, data, created_at, due_at)
     VALUES ($id, $botId, $conversationId, $type, $data, $at, $at)`,
  )
  return (conversationId, at, events) => {
    const row = webhook.get(conversationId)
    if (!row) return
    for (const event of events.filter(each => isWanted(each, row.authors))) {
      const data = encodeEventData(conversationId, row, event)
      insert.run({ id: randomUUID(), botId: row.botId, conversationId, type: event.type, data, at })
    }
  }
}

/**
 * Removes a `message.unread`: nothing is unread any more. One that is being delivered is not delivered again if that fails.
 */
export function prepareWithdrawUnreadNotice(db: DatabaseSync): (conversationId: string) => void {
  const withdraw = db.prepare(`DELETE FROM deliveries WHERE conversation_id = ? AND type = 'message.unread'`)
  return conversationId => void withdraw.run(conversationId)
}

export function deliveryWrites(db: DatabaseSync): DeliveryWrites {
  // Visits one bot after the other by the index, so that one bot's backlog does not slow down the others.
  const lease = prepare<DeliveryRecord>(
    db,
    `WITH RECURSIVE waiting (bot_id) AS (
       SELECT min(bot_id) FROM deliveries
       UNION ALL
       SELECT (SELECT min(bot_id) FROM deliveries WHERE bot_id > waiting.bot_id) FROM waiting
       WHERE waiting.bot_id IS NOT NULL
     )
     UPDATE deliveries SET owner = $owner, due_at = $leaseUntil, attempt = attempt + 1
     WHERE number IN (
       SELECT d.number FROM waiting w JOIN deliveries d ON d.number IN (
         SELECT o.number FROM deliveries o WHERE o.bot_id = w.bot_id AND ${isDueSql}
         ORDER BY o.due_at, o.number LIMIT $perBot
       )
       WHERE w.bot_id NOT IN (SELECT value FROM json_each($except))
       ORDER BY d.due_at, d.number LIMIT $all
     )
     RETURNING number, id, bot_id AS botId, type, data, created_at AS createdAt, attempt`,
  )
  const end = db.prepare('DELETE FROM deliveries WHERE id = ? AND owner = ?')
  const postpone = db.prepare('UPDATE deliveries SET owner = NULL, due_at = ? WHERE id = ? AND owner = ?')
  return {
    leaseDeliveries(owner, now, leaseUntil, { all, perBot, except }) {
      const rows = lease.all({ owner, leaseUntil, ...dueAt(now), all, perBot, except: JSON.stringify(except) })
      return rows
        .sort((a, b) => a.number - b.number)
        .map(({ id, botId, type, data, createdAt, attempt }) => {
          const event = { id, type, createdAt, botId, data: JSON.parse(data) as unknown }
          return { event: event as WebhookEvent, attempt }
        })
    },
    endDelivery(deliveryId, owner) {
      end.run(deliveryId, owner)
    },
    postponeDelivery(deliveryId, owner, dueAt) {
      postpone.run(dueAt, deliveryId, owner)
    },
  }
}

interface DeliveryRecord {
  number: number
  id: string
  botId: string
  type: string
  data: string
  createdAt: string
  attempt: number
}
