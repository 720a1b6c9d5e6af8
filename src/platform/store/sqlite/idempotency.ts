import type { DatabaseSync } from 'node:sqlite'
import { type Claim, decideClaim, erasedResult, type StoredRequest } from '../rules/idempotency.ts'
import type { BotScope, IdempotentRequest } from '../store.ts'
import { prepare } from './connection.ts'

/** Results of requests that may be repeated. Call it in the transaction of the effect. */
export interface Idempotency {
  /** Claims the request's key. A request without a key is always carried out. */
  claimKey(scope: BotScope, request: IdempotentRequest | undefined): Claim
  /** Stores the result for a claimed key. The result of a contact is erased together with the contact. */
  storeResult(scope: BotScope, request: IdempotentRequest | undefined, result: unknown, contactId?: string | null): void
  /** Erases what the results hold of a contact. The claims stay, so that no delayed request brings the contact back. */
  eraseResultsOfContact(contactId: string): void
}

export function idempotency(db: DatabaseSync): Idempotency {
  const storedRequestOf = prepare<Omit<StoredRequest, 'result'> & { result: string | null }>(
    db,
    `SELECT body_hash AS bodyHash, contact_id AS contactId, result, attempt FROM idempotency
     WHERE bot_id = ? AND key_hash = ? AND expires_at > ?`,
  )
  const insert = db.prepare(
    `INSERT OR REPLACE INTO idempotency (bot_id, key_hash, body_hash, contact_id, result, attempt, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const erase = db.prepare(`UPDATE idempotency SET contact_id = NULL, body_hash = '', result = ? WHERE contact_id = ?`)
  const raiseAttempt = db.prepare('UPDATE idempotency SET attempt = ? WHERE bot_id = ? AND key_hash = ?')
  function write(botId: string, request: IdempotentRequest, result: string | null, contactId: string | null): void {
    const { keyHash, bodyHash, attempt, expiresAt } = request
    insert.run(botId, keyHash, bodyHash, contactId, result, attempt, expiresAt)
  }
  return {
    claimKey({ botId }, request) {
      if (!request) return { kind: 'claimed' }
      const row = storedRequestOf.get(botId, request.keyHash, request.at)
      const claim = decideClaim(request, row && { ...row, result: row.result === null ? null : JSON.parse(row.result) })
      // Stays if the request is refused, so that no earlier attempt is carried out after that.
      if (claim.kind === 'claimed') write(botId, request, null, null)
      if (claim.kind === 'replayed' && request.attempt > claim.stored.attempt)
        raiseAttempt.run(request.attempt, botId, request.keyHash)
      return claim
    },
    storeResult({ botId }, request, result, contactId) {
      if (request) write(botId, request, JSON.stringify(result), contactId ?? null)
    },
    eraseResultsOfContact(contactId) {
      erase.run(JSON.stringify(erasedResult), contactId)
    },
  }
}
