import { type Database, parseJson, type Queries } from '../database.ts'
import type { BotScope, IdempotentRequest, IdempotentResult, KeyRefused, NotFound } from '../store.ts'

/** The stored result once its contact has been deleted. The row then holds nothing of the contact, nor the body's hash. */
export const erasedResult = 'erased'

/** What is stored for a key. */
export interface StoredRequest {
  bodyHash: string
  /** `null` if the request was refused. Then another one may use the key. */
  result: unknown
  /** The contact that the result is about, and with which it is erased. */
  contactId: string | null
  attempt: number
}

/**
 * What becomes of a request with a key: `undefined` if it is carried out, the request that it repeats, or why it is refused.
 * `not_found`: it has been carried out, and its contact has been deleted since.
 */
type Claim = undefined | StoredRequest | KeyRefused | NotFound

/** Decides about a request whose key may be in use. */
export function decideClaim({ bodyHash, attempt }: IdempotentRequest, stored: StoredRequest | undefined): Claim {
  if (!stored) return undefined
  const hasNoResult = stored.result === null
  const isErased = stored.result === erasedResult
  if (!hasNoResult && !isErased && stored.bodyHash !== bodyHash) return 'key_reused'
  // It was delayed on its way. Its client has the answer to a later attempt, and may have acted on it.
  if (attempt < stored.attempt) return 'superseded'
  // Carrying it out would bring the deleted contact back.
  if (isErased) return 'not_found'
  return hasNoResult ? undefined : stored
}

/**
 * Claims the request's key, after waiting for another transaction that has it. Must be the first lock of the transaction
 * of the effect. The claim stays if the request is refused, so that no earlier attempt is carried out after that. A request
 * without a key is always carried out.
 */
export async function claimKey(
  tx: Queries,
  { botId }: BotScope,
  request: IdempotentRequest | undefined,
): Promise<Claim> {
  if (!request) return undefined
  const { keyHash, bodyHash, attempt, at, expiresAt } = request
  for (;;) {
    // Claims a key that is new, expired or refused. Otherwise the key is taken, and `decideClaim` says what follows.
    const claimed = await tx.one(
      `INSERT INTO idempotency AS existing (bot_id, key_hash, body_hash, expires_at, attempt) VALUES ($6, $1, $2, $3, $5)
       ON CONFLICT (bot_id, key_hash) DO UPDATE SET body_hash = $2, expires_at = $3, contact_id = NULL, result = NULL, attempt = $5
         WHERE existing.expires_at <= $4 OR (existing.result IS NULL AND existing.attempt <= $5)
       RETURNING key_hash`,
      [keyHash, bodyHash, expiresAt, at, attempt, botId],
    )
    if (claimed) return undefined
    const stored = await tx.one<Omit<StoredRequest, 'result'> & { result: string | null }>(
      `SELECT body_hash AS "bodyHash", contact_id AS "contactId", result, attempt FROM idempotency
       WHERE bot_id = $1 AND key_hash = $2 FOR UPDATE`,
      [botId, keyHash],
    )
    const claim = decideClaim(request, stored && { ...stored, result: parseJson(stored.result) })
    if (typeof claim === 'object' && attempt > claim.attempt)
      await tx.all('UPDATE idempotency SET attempt = $1 WHERE bot_id = $2 AND key_hash = $3', [attempt, botId, keyHash])
    if (claim) return claim
    // The row changed between the two statements: it was purged, or its request was refused. Try again to claim it.
  }
}

/**
 * Runs the transaction of a request, which has one effect however often it is sent. `toValue` returns the value of a
 * repetition, from the stored result.
 */
export const transactOnce = <Value, Refusal>(
  db: Database,
  scope: BotScope,
  request: IdempotentRequest | undefined,
  toValue: (stored: unknown) => Value,
  run: (tx: Queries, attempt: number) => Promise<IdempotentResult<Value> | Refusal>,
): Promise<IdempotentResult<Value> | Refusal | KeyRefused | NotFound> =>
  db.transact(async (tx, attempt) => {
    const claim = await claimKey(tx, scope, request)
    if (typeof claim === 'string') return claim
    return claim ? { value: toValue(claim.result), replayed: true } : run(tx, attempt)
  })

/** Stores the result for a claimed key. The result of a contact is erased together with the contact. */
export async function storeResult(
  tx: Queries,
  { botId }: BotScope,
  request: IdempotentRequest | undefined,
  result: unknown,
  contactId: string | null = null,
): Promise<void> {
  if (!request) return
  await tx.all(
    `UPDATE idempotency SET contact_id = $1, result = $2, expires_at = $3, attempt = $4
     WHERE bot_id = $5 AND key_hash = $6`,
    [contactId, JSON.stringify(result), request.expiresAt, request.attempt, botId, request.keyHash],
  )
}

/** Erases what the results hold of a contact. The claims stay, so that no delayed request brings the contact back. */
export async function eraseResultsOfContact(tx: Queries, contactId: string): Promise<void> {
  await tx.all(`UPDATE idempotency SET contact_id = NULL, body_hash = '', result = $2 WHERE contact_id = $1`, [
    contactId,
    JSON.stringify(erasedResult),
  ])
}

/**
 * Locks the results that are stored with a contact. Must come before the lock of the contact itself: a repeated request
 * locks them in that order. `NOWAIT`: fails with lock_not_available instead of waiting.
 */
export async function lockResultsOfContact(tx: Queries, contactId: string, mode: 'NOWAIT' | '' = ''): Promise<void> {
  await tx.all(`SELECT key_hash FROM idempotency WHERE contact_id = $1 ORDER BY key_hash FOR UPDATE ${mode}`, [
    contactId,
  ])
}
