import { type KeptRequest, resultFor } from '../rules/idempotency.ts'
import type { IdempotentRequest, KeyRefused } from '../store.ts'
import type { Queries } from './connection.ts'

/**
 * Claims the request's key, after waiting for another transaction that has it. Resolves to the result of the earlier
 * request, or to `undefined` if this one is to be carried out. Must come first in the transaction of the effect. The
 * claim stays if the request is refused, so that no earlier attempt is carried out after that.
 */
export async function claim(
  tx: Queries,
  request: IdempotentRequest | undefined,
): Promise<KeptRequest | KeyRefused | undefined> {
  if (!request) return undefined
  const { keyHash, bodyHash, attempt, at, expiresAt } = request
  const claimed = await tx.one(
    `INSERT INTO idempotency AS kept (key_hash, body_hash, expires_at, attempt) VALUES ($1, $2, $3, $5)
     ON CONFLICT (key_hash) DO UPDATE SET body_hash = $2, expires_at = $3, contact_id = NULL, result = NULL, attempt = $5
       WHERE kept.expires_at <= $4 OR (kept.result IS NULL AND kept.attempt <= $5)
     RETURNING key_hash`,
    [keyHash, bodyHash, expiresAt, at, attempt],
  )
  if (claimed) return undefined
  const kept = await tx.one<KeptRequest>(
    `SELECT body_hash AS "bodyHash", contact_id AS "contactId", result, attempt FROM idempotency
     WHERE key_hash = $1 FOR UPDATE`,
    [keyHash],
  )
  // Without a row, its contact has just been deleted.
  return resultFor(request, kept) ?? claim(tx, request)
}

/** Stores the result for a claimed key. The result of a contact is deleted together with the contact. */
export async function keep(
  tx: Queries,
  request: IdempotentRequest | undefined,
  result: unknown,
  contactId: string | null = null,
): Promise<void> {
  if (!request) return
  await tx.all(
    `UPDATE idempotency SET contact_id = $2, result = $3, expires_at = $4, attempt = $5
     WHERE key_hash = $1`,
    [...[request.keyHash, contactId, JSON.stringify(result), request.expiresAt, request.attempt]],
  )
}

/**
 * Locks the results that are kept with a contact, before the contact itself: a repeated request locks them in that order.
 * `NOWAIT`: fails with lock_not_available instead of waiting.
 */
export async function lockKept(tx: Queries, contactId: string, mode: 'NOWAIT' | '' = ''): Promise<void> {
  await tx.all(`SELECT key_hash FROM idempotency WHERE contact_id = $1 ORDER BY key_hash FOR UPDATE ${mode}`, [
    contactId,
  ])
}
