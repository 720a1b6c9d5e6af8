import { longMs } from '../deadline.ts'
import { eraseFilesBatchSize, uploadLimit } from '../rules/attachments.ts'
import { deliveryLimit, endOfSessionSql, purgeBatchSize, turnLogLimit } from '../rules/purge.ts'
import { openSessionSql } from '../rules/sessions.ts'
import { countsAsUnreadSql } from '../rules/unread.ts'
import { runInBatches } from '../runInBatches.ts'
import type { Store } from '../store.ts'
import type { Database, Queries } from './connection.ts'
import { eraseContent } from './eraseContent.ts'

type Purge = Pick<Store, 'purge'>

/** Deletes a batch of expired rows; skips rows that another node is deleting. */
const batch = (table: string, key: string, condition: string): string =>
  `DELETE FROM ${table} WHERE (${key}) IN
     (SELECT ${key} FROM ${table} WHERE ${condition} ORDER BY ${condition.split(' ')[0]} LIMIT $2
      FOR UPDATE SKIP LOCKED)
   RETURNING ${key}`

export function purge(db: Database): Purge {
  // From so many calls on, calls wait for a connection, or soon will.
  const isBusy = (): boolean => db.pending > db.connections / 2
  const transact = <Result>(run: (tx: Queries) => Promise<Result>): Promise<Result> =>
    db.transact(run, { timeoutMs: longMs })
  /** Runs transactions until one returns false. */
  const repeat = (run: (tx: Queries) => Promise<boolean>): Promise<void> =>
    runInBatches({ isBusy, runBatch: () => transact(run) })
  /** Repeats a statement until it deletes less than a full batch. */
  const deleteAll = (text: string, before: string): Promise<void> =>
    repeat(async tx => (await tx.all(text, [before, purgeBatchSize])).length === purgeBatchSize)

  return {
    async purge({ now, endedBefore, lastMessageBefore }) {
      await db.write('DELETE FROM organization_tokens WHERE revoked_at < $1', [endedBefore])
      await repeat(tx => purgeSessions(tx, endedBefore))
      await deleteAll(batch('idempotency', 'bot_id, key_hash', 'expires_at <= $1'), now)
      await deleteAll(batch('turn_log', 'number', 'begun_at < $1'), turnLogLimit(now))
      await repeat(async tx => (await purgeUploads(tx, uploadLimit(now))) === eraseFilesBatchSize)
      await repeat(async tx => (await purgeDeliveries(tx, deliveryLimit(now))) === purgeBatchSize)
      if (lastMessageBefore !== undefined) await repeat(tx => purgeInactive(tx, lastMessageBefore, now))
    },
  }
}

/** Deletes a batch of uploads that no message has. Resolves to their number. */
async function purgeUploads(tx: Queries, until: string): Promise<number> {
  const gone = await tx.all(
    `DELETE FROM attachments WHERE (conversation_id, id) IN
       (SELECT conversation_id, id FROM attachments WHERE message_id IS NULL AND created_at <= $1
        ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [until, eraseFilesBatchSize],
  )
  return gone.length
}

/** Deletes a batch of the oldest events that no webhook has accepted. Resolves to their number. */
async function purgeDeliveries(tx: Queries, until: string): Promise<number> {
  const gone = await tx.all(
    `DELETE FROM deliveries WHERE created_at <= $1 AND number IN
       (SELECT number FROM deliveries ORDER BY number LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING number`,
    [until, purgeBatchSize],
  )
  return gone.length
}

/**
 * Deletes a batch of ended sessions with the conversations of anonymous ones, or some of the messages and files in them.
 * Resolves to whether any sessions may be left.
 */
async function purgeSessions(tx: Queries, endedBefore: string): Promise<boolean> {
  const sessions = await tx.all<{ hash: string; conversationId: string }>(
    `SELECT hash, conversation_id AS "conversationId" FROM sessions WHERE ${endOfSessionSql} < $1
     ORDER BY ${endOfSessionSql} LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [endedBefore, purgeBatchSize],
  )
  const anonymous = await tx.all<{ id: string }>(
    'SELECT id FROM conversations WHERE contact_id IS NULL AND id = ANY ($1) ORDER BY id FOR UPDATE',
    [sessions.map(({ conversationId }) => conversationId)],
  )
  const conversationIds = anonymous.map(({ id }) => id)
  const files = await tx.all(
    `DELETE FROM attachments WHERE (conversation_id, id) IN
       (SELECT conversation_id, id FROM attachments WHERE conversation_id = ANY ($1) LIMIT $2)
     RETURNING id`,
    [conversationIds, eraseFilesBatchSize],
  )
  if (files.length === eraseFilesBatchSize || (await eraseContent(tx, conversationIds))) return true
  await tx.all('DELETE FROM sessions WHERE hash = ANY ($1)', [sessions.map(({ hash }) => hash)])
  await tx.all('DELETE FROM conversations WHERE id = ANY ($1)', [conversationIds])
  return sessions.length === purgeBatchSize
}

/** Deletes a batch of the messages of one inactive conversation. Resolves to `false` if there is no such one. */
async function purgeInactive(tx: Queries, before: string, now: string): Promise<boolean> {
  const inactive = await tx.one<{ id: string; contactId: string | null }>(
    `SELECT v.id, v."contactId" FROM bots b CROSS JOIN LATERAL (
       SELECT id, contact_id AS "contactId" FROM conversations WHERE bot_id = b.id AND last_message_at < $1
       ORDER BY last_message_at LIMIT 1 FOR UPDATE SKIP LOCKED
     ) v LIMIT 1`,
    [before],
  )
  if (!inactive) return false
  const { id, contactId } = inactive
  // The oldest messages that together have about as many files as can be deleted at once.
  const withFiles = await tx.one<{ seq: number }>(
    `SELECT m.seq FROM attachments a JOIN messages m ON m.conversation_id = a.conversation_id AND m.id = a.message_id
     WHERE a.conversation_id = $1 ORDER BY m.seq LIMIT 1 OFFSET $2`,
    [id, eraseFilesBatchSize - 1],
  )
  const removed = await tx.all<{ isUnread: boolean }>(
    `DELETE FROM messages m USING conversations v
     WHERE v.id = $1 AND m.conversation_id = $1 AND seq <= $3::bigint
       AND seq IN (SELECT seq FROM messages WHERE conversation_id = $1 ORDER BY seq LIMIT $2)
     RETURNING seq > v.read_seq AND ${countsAsUnreadSql} AS "isUnread"`,
    [id, purgeBatchSize, withFiles?.seq ?? Number.MAX_SAFE_INTEGER],
  )
  const unread = removed.filter(({ isUnread }) => isUnread).length
  const hasMore = removed.length === purgeBatchSize || withFiles !== undefined
  // The row stays with its last seq, since a seq must never be assigned twice. Update it only once: PostgreSQL locks
  // the contact of a row that is updated twice, which can deadlock with the contact's deletion.
  await tx.all(
    `UPDATE conversations SET unread = unread - $2, last_message_at = CASE WHEN $3 THEN last_message_at END,
       locale = CASE WHEN $3 THEN locale END
     WHERE id = $1`,
    [id, unread, hasMore],
  )
  if (hasMore) return true
  await tx.all('DELETE FROM turns WHERE conversation_id = $1', [id])
  await tx.all('DELETE FROM deliveries WHERE conversation_id = $1', [id])
  if (contactId === null)
    await tx.all(
      `DELETE FROM conversations WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM sessions
         WHERE conversation_id = $1 AND contact_id IS NULL AND ${openSessionSql('$2')})`,
      [id, now],
    )
  return true
}
