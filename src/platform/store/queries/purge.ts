import type { Database, Flag, Queries } from '../database.ts'
import type { PurgeCutoffs } from '../store.ts'
import { uploadLimit } from './attachments.ts'
import { countsAsUnreadSql, openSessionSql, timeBefore } from './common.ts'

/** The SQL for the time at which a session is over: its end, or else its expiry. The index has the same expression. */
const endOfSessionSql = 'coalesce(ended_at, expires_at)'

const dayMs = 24 * 60 * 60 * 1000

/** How long the log of turns is kept. The limits of turns look back a day at most. */
const turnLogKeptMs = 2 * dayMs

/** How long an event waits for its webhook at most, however often it was tried. */
const deliveryKeptMs = 7 * dayMs

/** How long the link in an email works that ends such emails. */
const emailLinkKeptMs = 365 * dayMs

/** How long the audit list is kept. */
const auditKeptMs = 180 * dayMs

/** How long an address gets no second email that asks to confirm it. */
const emailConfirmationKeptMs = 30 * dayMs

/** How many files a transaction deletes at most. Deleting a file takes as long as writing it. */
export const eraseFilesBatchSize = 5

export interface Purge {
  /** Deletes a batch of each kind of expired rows, so that other calls can run in between. Resolves to whether any are left. */
  purgeSome(cutoffs: PurgeCutoffs): Promise<boolean>
}

export function purge(db: Database, batchSize: number): Purge {
  return {
    async purgeSome({ now, endedBefore, lastMessageBefore }) {
      await db.write('DELETE FROM organization_tokens WHERE revoked_at < $1', [endedBefore])
      // Each in a transaction of its own on PostgreSQL: together they could deadlock.
      const steps: ((tx: Queries) => Promise<boolean>)[] = [
        tx => purgeSessions(tx, endedBefore, batchSize),
        tx => purgeRows(tx, 'member_sessions', 'hash', 'expires_at <= $1', now, batchSize),
        tx => purgeRows(tx, 'invitations', 'hash', 'expires_at <= $1', now, batchSize),
        tx => purgeRows(tx, 'idempotency', 'bot_id, key_hash', 'expires_at <= $1', now, batchSize),
        tx => purgeRows(tx, 'turn_log', 'number', 'begun_at < $1', timeBefore(now, turnLogKeptMs), batchSize),
        tx => purgeRows(tx, 'audit', 'id', 'created_at < $1', timeBefore(now, auditKeptMs), batchSize),
        tx =>
          purgeRows(
            tx,
            'email_confirmations',
            'mailbox_hash',
            'created_at < $1',
            timeBefore(now, emailConfirmationKeptMs),
            batchSize,
          ),
        // Uploads that no message has.
        tx => purgeRows(tx, 'attachments', 'conversation_id, id', isUnusedSql, uploadLimit(now), eraseFilesBatchSize),
        tx => purgeRows(tx, 'email_links', 'hash', 'created_at <= $1', timeBefore(now, emailLinkKeptMs), batchSize),
        tx => purgeDeliveries(tx, timeBefore(now, deliveryKeptMs), batchSize),
      ]
      if (lastMessageBefore !== undefined) steps.push(tx => purgeInactive(tx, lastMessageBefore, now, batchSize))
      let hasMore = false
      for (const step of steps) hasMore = (await db.transact(step)) || hasMore
      return hasMore
    },
  }
}

const isUnusedSql = 'created_at <= $1 AND message_id IS NULL'

/** Skips rows that another node is deleting. The condition begins with the column of the time. */
async function purgeRows(
  tx: Queries,
  table: string,
  key: string,
  condition: string,
  time: string,
  limit: number,
): Promise<boolean> {
  const gone = await tx.all(
    `DELETE FROM ${table} WHERE (${key}) IN
       (SELECT ${key} FROM ${table} WHERE ${condition} ORDER BY ${condition.split(' ')[0]} LIMIT $2
        FOR UPDATE SKIP LOCKED)
     RETURNING ${key}`,
    [time, limit],
  )
  return gone.length === limit
}

/** Deletes the oldest events that no webhook has accepted. */
async function purgeDeliveries(tx: Queries, until: string, limit: number): Promise<boolean> {
  const gone = await tx.all(
    `DELETE FROM deliveries WHERE created_at <= $1 AND number IN
       (SELECT number FROM deliveries ORDER BY number LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING number`,
    [until, limit],
  )
  return gone.length === limit
}

/**
 * Deletes files, messages, notes, drafts and waiting events of conversations, which the caller has locked. Resolves to whether some may be
 * left: then commit, and call it again. A conversation may have hundreds of thousands of rows, so a cascade could take minutes.
 */
export async function eraseContent(tx: Queries, conversationIds: string[], batchSize: number): Promise<boolean> {
  for (const [table, key, limit] of [
    ['attachments', 'id', eraseFilesBatchSize],
    ['messages', 'seq', batchSize],
    ['deliveries', 'number', batchSize],
    ['notes', 'number', batchSize],
    ['drafts', 'member_id', batchSize],
  ]) {
    const erased = await tx.all(
      `DELETE FROM ${table} WHERE (conversation_id, ${key}) IN
         (SELECT conversation_id, ${key} FROM ${table} WHERE conversation_id = ANY ($1) LIMIT $2)
       RETURNING ${key}`,
      [conversationIds, limit],
    )
    if (erased.length === limit) return true
  }
  return false
}

/** Deletes ended sessions with the conversations of anonymous ones, or some of the messages and files in them. */
async function purgeSessions(tx: Queries, endedBefore: string, limit: number): Promise<boolean> {
  const sessions = await tx.all<{ hash: string; conversationId: string }>(
    `SELECT hash, conversation_id AS "conversationId" FROM sessions WHERE ${endOfSessionSql} < $1
     ORDER BY ${endOfSessionSql} LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [endedBefore, limit],
  )
  const anonymous = await tx.all<{ id: string }>(
    'SELECT id FROM conversations WHERE contact_id IS NULL AND id = ANY ($1) ORDER BY id FOR UPDATE',
    [sessions.map(({ conversationId }) => conversationId)],
  )
  const conversationIds = anonymous.map(({ id }) => id)
  if (await eraseContent(tx, conversationIds, limit)) return true
  await tx.all('DELETE FROM sessions WHERE hash = ANY ($1)', [sessions.map(({ hash }) => hash)])
  await tx.all('DELETE FROM conversations WHERE id = ANY ($1)', [conversationIds])
  return sessions.length === limit
}

/** Empties inactive conversations, until about a batch of messages is deleted. */
async function purgeInactive(tx: Queries, before: string, now: string, limit: number): Promise<boolean> {
  for (let left = limit; left > 0; ) {
    // One bot after the other by the index.
    const oldest = await tx.one<{ id: string }>(
      `SELECT id FROM (
         SELECT (SELECT id FROM conversations WHERE bot_id = b.id AND last_message_at < $1
           ORDER BY last_message_at LIMIT 1) AS id FROM bots b
       ) AS inactive WHERE id IS NOT NULL LIMIT 1`,
      [before],
    )
    // Not if somebody writes to it or deletes it now.
    const conversation = await tx.one<InactiveConversation>(
      `SELECT id, contact_id AS "contactId", read_seq AS "readSeq" FROM conversations
       WHERE id = $1 AND last_message_at < $2 FOR UPDATE SKIP LOCKED`,
      [oldest?.id, before],
    )
    if (!conversation) return false
    const removed = await emptyConversation(tx, conversation, left, now)
    if (removed === 'has_more') return true
    left -= removed + 1
  }
  return true
}

interface InactiveConversation {
  id: string
  contactId: string | null
  readSeq: number
}

/** Deletes the messages of a conversation, at most `limit`. Resolves to how many those were, if none is left. */
async function emptyConversation(
  tx: Queries,
  { id, contactId, readSeq }: InactiveConversation,
  limit: number,
  now: string,
): Promise<number | 'has_more'> {
  // The oldest messages that together have about as many files as can be deleted at once.
  const withFiles = await tx.one<{ seq: number }>(
    `SELECT m.seq FROM attachments a JOIN messages m ON m.conversation_id = a.conversation_id AND m.id = a.message_id
     WHERE a.conversation_id = $1 ORDER BY m.seq LIMIT 1 OFFSET $2`,
    [id, eraseFilesBatchSize - 1],
  )
  const removed = await tx.all<{ isUnread: Flag }>(
    `DELETE FROM messages WHERE conversation_id = $1 AND seq <= $3::bigint
       AND seq IN (SELECT seq FROM messages WHERE conversation_id = $1 ORDER BY seq LIMIT $2)
     RETURNING seq > $4 AND ${countsAsUnreadSql} AS "isUnread"`,
    [id, limit, withFiles?.seq ?? Number.MAX_SAFE_INTEGER, readSeq],
  )
  const unread = removed.filter(({ isUnread }) => isUnread).length
  const hasMore = removed.length === limit || withFiles !== undefined
  // The row stays with its last seq, since a seq must never be assigned twice. Update it only once: PostgreSQL locks
  // the contact of a row that is updated twice, which can deadlock with the contact's deletion.
  await tx.all(
    `UPDATE conversations SET unread = unread - $2, last_message_at = CASE WHEN $3 THEN last_message_at END,
       locale = CASE WHEN $3 THEN locale END, email = CASE WHEN $3 THEN email END,
       email_hash = CASE WHEN $3 THEN email_hash END,
       email_confirmed_at = CASE WHEN $3 THEN email_confirmed_at END,
       emails_ended = CASE WHEN $3 THEN emails_ended END, changed_at = CASE WHEN $3 THEN changed_at END,
       state = CASE WHEN $3 THEN state ELSE 'closed' END, assignee_id = CASE WHEN $3 THEN assignee_id END,
       waiting_since = CASE WHEN $3 THEN waiting_since END, paused_until = CASE WHEN $3 THEN paused_until END
     WHERE id = $1`,
    [id, unread, hasMore],
  )
  if (hasMore) return 'has_more'
  for (const table of ['turns', 'deliveries', 'notes', 'drafts'])
    await tx.all(`DELETE FROM ${table} WHERE conversation_id = $1`, [id])
  if (contactId === null)
    await tx.all(
      `DELETE FROM conversations WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM sessions
         WHERE conversation_id = $1 AND contact_id IS NULL AND ${openSessionSql('$2')})`,
      [id, now],
    )
  return removed.length
}
