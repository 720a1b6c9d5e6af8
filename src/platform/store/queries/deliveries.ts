import { randomUUID } from 'node:crypto'
import { type Database, parseJson, type Queries, type StoreLimits } from '../database.ts'
import type { DeliveryStore, EmailLimits, LeasedDelivery, OutboxEvent, UnreadEmail, UnsubscribeLink } from '../store.ts'
import {
  type ContactColumns,
  countsAsUnreadSql,
  getsEmailsSql,
  hasWebhookSql,
  timeBefore,
  toContactSummary,
} from './common.ts'
import { type MessageRecord, messageColumns, toMessage } from './messages.ts'

/** Whether the bot's webhook gets an event. Messages of other authors than visitors are sent on request only. */
const isWanted = (event: OutboxEvent, authors: 'all' | null): boolean =>
  event.type !== 'message.created' || event.message.author === 'visitor' || authors === 'all'

const isDueSql = 'due_at <= $1'

/** A column of the last delivery of the queue `w` that can be leased now. */
const lastOf = (column: 'due_at' | 'number'): string =>
  `(SELECT ${column} FROM (SELECT due_at, number FROM deliveries WHERE queue = w.queue AND ${isDueSql}
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
    `INSERT INTO deliveries (id, queue, bot_id, conversation_id, type, data, created_at, due_at)
     SELECT id, bot_id, bot_id, conversation_id, type, data, $2, $2
     FROM json_to_recordset($1) AS event (position integer, id text, bot_id text, conversation_id text, type text, data json)
     ORDER BY position`,
    [JSON.stringify(wanted), at],
  )
}

/**
 * Removes a `message.unread` and an email: nothing is unread any more. One that is being delivered is not delivered again if
 * that fails.
 */
export async function withdrawUnreadNotices(tx: Queries, conversationId: string): Promise<void> {
  await tx.all(`DELETE FROM deliveries WHERE conversation_id = $1 AND type IN ('message.unread', 'email.unread')`, [
    conversationId,
  ])
}

/** The queue of all emails. That of a bot's events has the bot's id. */
export const emailQueue = 'email'

/** When an email that was begun is due. */
const never = '9999'

/** How many messages an email shows. */
const shownMessages = 5

export function deliveries(db: Database, { noticesPerStep }: StoreLimits): DeliveryStore {
  return {
    async leaseDeliveries(owner, now, leaseUntil, { all, perQueue, except, emails }) {
      // Checks without a write first: nodes poll all the time, and usually nothing is due.
      if (!(await db.one(`SELECT number FROM deliveries WHERE ${isDueSql} LIMIT 1`, [now]))) return []
      // Visits one queue after the other by the index, so that the backlog of one does not slow down the others. Skips
      // rows that another node is leasing.
      const rows = await db.write<DeliveryRecord>(
        `WITH RECURSIVE waiting (queue) AS (
           SELECT min(queue) FROM deliveries
           UNION ALL
           SELECT (SELECT min(queue) FROM deliveries WHERE queue > waiting.queue) FROM waiting
           WHERE waiting.queue IS NOT NULL
         ), last AS MATERIALIZED (
           SELECT queue, ${lastOf('due_at')} AS due_at, ${lastOf('number')} AS number
           FROM waiting w WHERE queue <> ALL ($3)
         ), chosen AS MATERIALIZED (
           SELECT d.number FROM last JOIN deliveries d ON d.queue = last.queue
             AND (d.due_at, d.number) <= (last.due_at, last.number)
           ORDER BY d.due_at, d.number LIMIT $4
         ), due (due_number) AS MATERIALIZED (
           SELECT number FROM deliveries WHERE number IN (SELECT number FROM chosen) AND ${isDueSql}
           FOR UPDATE SKIP LOCKED
         )
         UPDATE deliveries SET owner = $5, due_at = $6, attempt = attempt + 1 FROM due WHERE number = due_number
         RETURNING number, queue, id, bot_id AS "botId", type, data, created_at AS "createdAt", attempt`,
        [now, perQueue, emails ? except : [...except, emailQueue], all, owner, leaseUntil],
      )
      return rows
        .sort((a, b) => a.number - b.number)
        .map(({ number: _, queue, attempt, data, ...event }) => ({
          queue,
          event: { ...event, data: parseJson(data) } as LeasedDelivery['event'],
          attempt,
        }))
    },
    async beginDelivery(deliveryId, owner, now) {
      const begun = await db.write(
        'UPDATE deliveries SET due_at = $4 WHERE id = $1 AND owner = $2 AND due_at > $3 RETURNING id',
        [deliveryId, owner, now, never],
      )
      return begun.length > 0
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
    async enqueueUnreadNotices({ now, unreadBefore, absentBefore, emails }) {
      // Checks without a write first: usually nothing is due.
      const isDue = await db.one('SELECT id FROM conversations WHERE unread_since <= $1 LIMIT 1', [unreadBefore])
      if (!isDue) return false
      return db.transact(async tx => {
        const due = await tx.all<UnreadRecord>(
          `UPDATE conversations SET unread_since = NULL, unread_notices = unread_notices + 1 WHERE id IN (
             SELECT id FROM conversations WHERE unread_since <= $1
               AND (streamed_at IS NULL OR streamed_at <= $2)
               -- The organization is told at once, a visitor who gets emails not so soon after the last one.
               AND (unread_notices = 0 OR emailed_at IS NULL OR emailed_at <= $4)
             ORDER BY unread_since LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED)
           RETURNING id AS "conversationId", unread, unread_notices AS notices, emailed_at AS "emailedAt",
             contact_id AS "contactId", last_message_at AS "lastMessageAt"`,
          [unreadBefore, absentBefore, noticesPerStep, emails ? timeBefore(now, emails.pauseMs) : now],
        )
        // The unread messages may have been removed since.
        const unread = due.filter(({ unread }) => unread > 0)
        const notices = unread
          .filter(({ notices, contactId }) => notices === 1 && contactId !== null)
          .map(({ conversationId, unread }) => ({ conversationId, event: { type: 'message.unread' as const, unread } }))
        await enqueueAll(tx, now, notices)
        if (emails) await enqueueEmails(tx, now, emails, unread)
        return due.length === noticesPerStep
      })
    },
    beginUnreadEmail: (conversationId, { hash, at }) =>
      db.transact(async tx => {
        const found = await tx.one<Omit<UnreadEmail, 'messages'> & { readSeq: number }>(
          `SELECT coalesce(c.email, v.email) AS "to", v.locale, v.unread, v.read_seq AS "readSeq"
           FROM conversations v LEFT JOIN contacts c ON c.id = v.contact_id
           WHERE v.id = $1 AND v.unread > 0 AND ${getsEmailsSql} FOR NO KEY UPDATE OF v`,
          [conversationId],
        )
        if (!found) return null
        await tx.all('UPDATE conversations SET emailed_at = $2 WHERE id = $1', [conversationId, at])
        await tx.all('INSERT INTO email_links (hash, conversation_id, created_at) VALUES ($1, $2, $3)', [
          hash,
          conversationId,
          at,
        ])
        const { readSeq, ...email } = found
        const rows = await tx.all<MessageRecord>(
          `SELECT ${messageColumns} FROM messages WHERE conversation_id = $1 AND seq > $2 AND ${countsAsUnreadSql}
           ORDER BY seq DESC LIMIT $3`,
          [conversationId, readSeq, shownMessages],
        )
        return { ...email, messages: rows.reverse().map(toMessage) }
      }),
    async findUnsubscribeLink(hash) {
      const found = await db.one<UnsubscribeLink>(
        `SELECT v.id AS "conversationId", v.bot_id AS "botId", v.locale, coalesce(c.emails_ended, v.emails_ended) AS "emailsEnded"
         FROM email_links l JOIN conversations v ON v.id = l.conversation_id LEFT JOIN contacts c ON c.id = v.contact_id
         WHERE l.hash = $1 AND l.email_hash IS NULL`,
        [hash],
      )
      return found ?? null
    },
    setEmailsEnded: (visitor, reason, email) =>
      db.transact(async tx => {
        const end = (table: 'contacts' | 'conversations', condition: string, id: string) =>
          tx.all(`UPDATE ${table} SET emails_ended = $2 WHERE ${condition} AND email = coalesce($3, email)`, [
            id,
            reason,
            email ?? null,
          ])
        if ('contactId' in visitor) await end('contacts', 'id = $1', visitor.contactId)
        else {
          await end('contacts', 'id = (SELECT contact_id FROM conversations WHERE id = $1)', visitor.conversationId)
          await end('conversations', 'id = $1 AND contact_id IS NULL', visitor.conversationId)
        }
      }),
  }
}

/** Enqueues an email about each conversation whose bot and visitor have emails, unless one is waiting already. */
async function enqueueEmails(tx: Queries, now: string, limits: EmailLimits, unread: UnreadRecord[]): Promise<void> {
  const rows = unread
    .filter(({ notices, lastMessageAt }) => notices <= limits.most && lastMessageAt > limits.messagesAfter)
    .map(({ conversationId, emailedAt }) => {
      const pauseEnd = emailedAt === null ? now : timeBefore(emailedAt, -limits.pauseMs)
      const data = { conversationId }
      return { id: randomUUID(), conversation_id: conversationId, data, due_at: pauseEnd > now ? pauseEnd : now }
    })
  if (rows.length === 0) return
  await tx.all(
    `INSERT INTO deliveries (id, queue, bot_id, conversation_id, type, data, created_at, due_at)
     SELECT e.id, $3, v.bot_id, v.id, 'email.unread', e.data, $2, e.due_at
     FROM json_to_recordset($1) AS e (id text, conversation_id text, data json, due_at text)
       JOIN conversations v ON v.id = e.conversation_id JOIN bots b ON b.id = v.bot_id
       LEFT JOIN contacts c ON c.id = v.contact_id
     WHERE b.settings ->> 'siteUrl' <> '' AND ${getsEmailsSql}
       AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.conversation_id = v.id AND d.queue = $3 AND d.due_at < $4)`,
    [JSON.stringify(rows), now, emailQueue, never],
  )
}

/** A conversation of whose unread messages somebody is told. */
interface UnreadRecord {
  conversationId: string
  contactId: string | null
  unread: number
  notices: number
  emailedAt: string | null
  lastMessageAt: string
}

/** A conversation whose bot has an events webhook. */
interface WebhookRecord extends ContactColumns {
  id: string
  botId: string
  authors: 'all' | null
}

interface DeliveryRecord {
  number: number
  queue: string
  id: string
  botId: string
  type: string
  data: string
  createdAt: string
  attempt: number
}
