import { randomUUID } from 'node:crypto'
import type { WebhookEvent } from '../../../contract/index.ts'
import { type Database, parseJson, type Queries, type StoreLimits } from '../database.ts'
import type { DeliveryStore, OutboxEvent } from '../store.ts'
import { type ContactColumns, hasWebhookSql, toContactSummary } from './common.ts'

/** Whether the bot's webhook gets an event. Messages of other authors than visitors are sent on request only. */
const isWanted = (event: OutboxEvent, authors: 'all' | null): boolean =>
  event.type !== 'message.created' || event.message.author === 'visitor' || authors === 'all'

const isDueSql = 'due_at <= $1'

/** A column of the last delivery of the bot `w` that can be leased now. */
const lastOf = (column: 'due_at' | 'number'): string =>
  `(SELECT ${column} FROM (SELECT due_at, number FROM deliveries WHERE bot_id = w.bot_id AND ${isDueSql}
     ORDER BY due_at, number LIMIT $2) AS first ORDER BY due_at DESC, number DESC LIMIT 1)`

/** Enqueues events in the transaction that causes them, if the bot has an events webhook. */
export const enqueue = (tx: Queries, conversationId: string, at: string, events: OutboxEvent[]): Promise<void> =>
  enqueueAll(
    tx,
    at,
    events.map(event => ({ conversationId, event })),
  )

interface ConversationEvent {
  conversationId: string
  event: OutboxEvent
}

/** Enqueues events of several conversations, in their order, with two statements. */
async function enqueueAll(tx: Queries, at: string, events: ConversationEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = await tx.all<WebhookRecord>(
    `SELECT v.id, v.bot_id AS "botId", c.id AS "contactId", c.name AS "contactName",
       b.settings -> 'events' ->> 'authors' AS authors
     FROM conversations v JOIN bots b ON b.id = v.bot_id LEFT JOIN contacts c ON c.id = v.contact_id
     WHERE v.id = ANY ($1) AND ${hasWebhookSql}`,
    [events.map(({ conversationId }) => conversationId)],
  )
  const webhooks = new Map(rows.map(row => [row.id, row]))
  const wanted = events.flatMap(({ conversationId, event: { type, ...data }, event }, position) => {
    const webhook = webhooks.get(conversationId)
    if (!webhook || !isWanted(event, webhook.authors)) return []
    const row = { position, id: randomUUID(), bot_id: webhook.botId, conversation_id: conversationId, type }
    return [{ ...row, data: { conversationId, contact: toContactSummary(webhook), ...data } }]
  })
  if (wanted.length === 0) return
  await tx.all(
    `INSERT INTO deliveries (id, bot_id, conversation_id, type, data, created_at, due_at)
     SELECT id, bot_id, conversation_id, type, data, $2, $2
     FROM json_to_recordset($1) AS event (position integer, id text, bot_id text, conversation_id text, type text, data json)
     ORDER BY position`,
    [JSON.stringify(wanted), at],
  )
}

/**
 * Removes a `message.unread`: nothing is unread any more. One that is being delivered is not delivered again if that fails.
 */
export async function withdrawUnreadNotice(tx: Queries, conversationId: string): Promise<void> {
  await tx.all(`DELETE FROM deliveries WHERE conversation_id = $1 AND type = 'message.unread'`, [conversationId])
}

export function deliveries(db: Database, { noticesPerStep }: StoreLimits): DeliveryStore {
  return {
    async leaseDeliveries(owner, now, leaseUntil, { all, perBot, except }) {
      // Checks without a write first: nodes poll all the time, and usually nothing is due.
      if (!(await db.one(`SELECT number FROM deliveries WHERE ${isDueSql} LIMIT 1`, [now]))) return []
      // Visits one bot after the other by the index, so that one bot's backlog does not slow down the others. Skips
      // rows that another node is leasing.
      const rows = await db.write<DeliveryRecord>(
        `WITH RECURSIVE waiting (bot_id) AS (
           SELECT min(bot_id) FROM deliveries
           UNION ALL
           SELECT (SELECT min(bot_id) FROM deliveries WHERE bot_id > waiting.bot_id) FROM waiting
           WHERE waiting.bot_id IS NOT NULL
         ), last AS MATERIALIZED (
           SELECT bot_id, ${lastOf('due_at')} AS due_at, ${lastOf('number')} AS number
           FROM waiting w WHERE bot_id <> ALL ($3)
         ), chosen AS MATERIALIZED (
           SELECT d.number FROM last JOIN deliveries d ON d.bot_id = last.bot_id
             AND (d.due_at, d.number) <= (last.due_at, last.number)
           ORDER BY d.due_at, d.number LIMIT $4
         ), due (due_number) AS MATERIALIZED (
           SELECT number FROM deliveries WHERE number IN (SELECT number FROM chosen) AND ${isDueSql}
           FOR UPDATE SKIP LOCKED
         )
         UPDATE deliveries SET owner = $5, due_at = $6, attempt = attempt + 1 FROM due WHERE number = due_number
         RETURNING number, id, bot_id AS "botId", type, data, created_at AS "createdAt", attempt`,
        [now, perBot, except, all, owner, leaseUntil],
      )
      return rows
        .sort((a, b) => a.number - b.number)
        .map(({ number: _, attempt, data, ...event }) => ({
          event: { ...event, data: parseJson(data) } as WebhookEvent,
          attempt,
        }))
    },
    async endDelivery(deliveryId, owner) {
      await db.write('DELETE FROM deliveries WHERE id = $1 AND owner = $2', [deliveryId, owner])
    },
    async postponeDelivery(deliveryId, owner, dueAt) {
      await db.write('UPDATE deliveries SET owner = NULL, due_at = $3 WHERE id = $1 AND owner = $2', [
        deliveryId,
        owner,
        dueAt,
      ])
    },
    async recordPresence(conversationIds, at) {
      // Skips conversations that others are writing to: they are next, and waiting for several could deadlock.
      await db.write(
        `UPDATE conversations SET streamed_at = $1 WHERE id IN (
           SELECT id FROM conversations WHERE unread_since IS NOT NULL AND id = ANY ($2)
           FOR NO KEY UPDATE SKIP LOCKED)`,
        [at, conversationIds],
      )
    },
    async enqueueUnreadNotices({ now, unreadBefore, absentBefore }) {
      // Checks without a write first: usually nothing is due.
      const isDue = await db.one('SELECT id FROM conversations WHERE unread_since <= $1 LIMIT 1', [unreadBefore])
      if (!isDue) return false
      return db.transact(async tx => {
        const due = await tx.all<{ conversationId: string; unread: number }>(
          `UPDATE conversations SET unread_since = NULL WHERE id IN (
             SELECT id FROM conversations WHERE unread_since <= $1
               AND (streamed_at IS NULL OR streamed_at <= $2)
             ORDER BY unread_since LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED)
           RETURNING id AS "conversationId", unread`,
          [unreadBefore, absentBefore, noticesPerStep],
        )
        // The unread messages may have been removed since.
        const notices = due.flatMap(({ conversationId, unread }) =>
          unread > 0 ? [{ conversationId, event: { type: 'message.unread' as const, unread } }] : [],
        )
        await enqueueAll(tx, now, notices)
        return due.length === noticesPerStep
      })
    },
  }
}

/** A conversation whose bot has an events webhook. */
interface WebhookRecord extends ContactColumns {
  id: string
  botId: string
  authors: 'all' | null
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
