import type { DatabaseSync } from 'node:sqlite'
import type { IdempotentRequest, KeyReused } from '../store.ts'

/** Results of requests that may be repeated. Call it in the transaction of the effect. */
export interface Idempotency {
  /** The result of the earlier request, or `undefined` if this is the first. */
  find(request: IdempotentRequest | undefined): KeptResult | KeyReused | undefined
  /** Stores the result. The result of a contact is deleted together with the contact. */
  keep(request: IdempotentRequest | undefined, result: unknown, contactId?: string): void
}
interface KeptResult {
  result: unknown
  contactId: string | null
}

export function idempotency(db: DatabaseSync): Idempotency {
  const standing = db.prepare(
    `SELECT body_hash AS bodyHash, contact_id AS contactId, result FROM idempotency
     WHERE key_hash = ? AND expires_at > ?`,
  )
  const insert = db.prepare(
    `INSERT OR REPLACE INTO idempotency (key_hash, body_hash, contact_id, result, expires_at) VALUES (?, ?, ?, ?, ?)`,
  )
  return {
    find(request) {
      const row = request && standing.get(request.keyHash, request.at)
      if (!row) return undefined
      if (row['bodyHash'] !== request.bodyHash) return 'key_reused'
      return { result: JSON.parse(row['result'] as string), contactId: row['contactId'] as string | null }
    },
    keep(request, result, contactId) {
      if (!request) return
      const { keyHash, bodyHash, expiresAt } = request
      insert.run(keyHash, bodyHash, contactId ?? null, JSON.stringify(result), expiresAt)
    },
  }
}
