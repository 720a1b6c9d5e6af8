import { turnLogLimit } from '../rules/purge.ts'
import type { Store } from '../store.ts'
import { type Database, longMs, type Queries } from './connection.ts'

type Purge = Pick<Store, 'purge'>

const atOnce = 500

/** A batch of what has had its time; what another node forgets in this moment is left to it. */
const batch = (table: string, key: string, condition: string): string =>
  `DELETE FROM ${table} WHERE ${key} IN
     (SELECT ${key} FROM ${table} WHERE ${condition} ORDER BY ${condition.split(' ')[0]} LIMIT $2
      FOR UPDATE SKIP LOCKED)
   RETURNING ${key}`

/** All at once: without an index by time its rows are cheaper to write, which is what happens most. */
const purgeQuotas = `DELETE FROM quotas WHERE key IN
  (SELECT key FROM quotas WHERE ends_at <= clock_timestamp() FOR UPDATE SKIP LOCKED)`

export function purge(db: Database): Purge {
  /** Runs a statement until it finds less than it takes at once. */
  async function purgeAll(text: string, before: string): Promise<void> {
    const some = () => db.transact(tx => tx.all(text, [before, atOnce]), { timeoutMs: longMs })
    while ((await some()).length === atOnce);
  }
  return {
    async purge({ now, endedBefore, silentSince }) {
      await db.all('DELETE FROM organization_tokens WHERE revoked_at < $1', [endedBefore])
      while ((await db.transact(tx => purgeSessions(tx, endedBefore), { timeoutMs: longMs })) === atOnce);
      await purgeAll(batch('idempotency', 'key_hash', 'expires_at <= $1'), now)
      await purgeAll(batch('turn_log', 'number', 'begun_at < $1'), turnLogLimit(now))
      await db.transact(tx => tx.all(purgeQuotas), { timeoutMs: longMs })
      if (silentSince === undefined) return
      while (await db.transact(tx => purgeSilent(tx, silentSince, now), { timeoutMs: longMs }));
    },
  }
}

/** Forgets expired sessions, and with those of visitors their conversations; resolves to how many. */
async function purgeSessions(tx: Queries, endedBefore: string): Promise<number> {
  const gone = await tx.all<{ conversationId: string }>(
    `DELETE FROM sessions WHERE hash IN
       (SELECT hash FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING conversation_id AS "conversationId"`,
    [endedBefore, atOnce],
  )
  await tx.all('DELETE FROM conversations WHERE contact_id IS NULL AND id = ANY ($1)', [
    gone.map(({ conversationId }) => conversationId),
  ])
  return gone.length
}

/** Empties one silent conversation, or takes a part of its messages; tells whether it found any. */
async function purgeSilent(tx: Queries, since: string, now: string): Promise<boolean> {
  const silent = await tx.one<{ id: string; contactId: string | null }>(
    `SELECT v.id, v."contactId" FROM bots b CROSS JOIN LATERAL (
       SELECT id, contact_id AS "contactId" FROM conversations WHERE bot_id = b.id AND last_message_at < $1
       ORDER BY last_message_at LIMIT 1 FOR UPDATE SKIP LOCKED
     ) v LIMIT 1`,
    [since],
  )
  if (!silent) return false
  const { id, contactId } = silent
  const removed = await tx.all<{ isUnread: boolean }>(
    `DELETE FROM messages m USING conversations v
     WHERE v.id = $1 AND m.conversation_id = $1
       AND seq IN (SELECT seq FROM messages WHERE conversation_id = $1 ORDER BY seq LIMIT $2)
     RETURNING seq > v.read_seq AND author <> 'visitor' AS "isUnread"`,
    [id, atOnce],
  )
  const unread = removed.filter(({ isUnread }) => isUnread).length
  const isLeft = removed.length === atOnce
  // The row stays with its last seq: a widget that has seen it must never be given the same seq twice. Updated twice it
  // would lock its contact, and whoever deletes that waits for the row.
  await tx.all(
    `UPDATE conversations SET unread = unread - $2, last_message_at = CASE WHEN $3 THEN last_message_at END
     WHERE id = $1`,
    [id, unread, isLeft],
  )
  if (isLeft) return true
  await tx.all('DELETE FROM turns WHERE conversation_id = $1', [id])
  await tx.all('DELETE FROM deliveries WHERE conversation_id = $1', [id])
  if (contactId === null)
    await tx.all(
      `DELETE FROM conversations WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM sessions
         WHERE conversation_id = $1 AND contact_id IS NULL AND ended_at IS NULL AND expires_at > $2)`,
      [id, now],
    )
  return true
}
