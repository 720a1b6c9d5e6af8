import type { DatabaseSync } from 'node:sqlite'
import type { IdempotentRequest, KeyReused } from '../store.ts'
import { prepare } from './connection.ts'

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
  attempt: number
}

export function idempotency(db: DatabaseSync): Idempotency {
  const standing = prepare<{ bodyHash: string; contactId: string | null; result: string; attempt: number }>(
    db,
    `SELECT body_hash AS bodyHash, contact_id AS contactId, result, attempt FROM idempotency
     WHERE key_hash = ? AND expires_at > ?`,
  )
  const insert = db.prepare(
    `INSERT OR REPLACE INTO idempotency (key_hash, body_hash, contact_id, result, attempt, expires_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  return {
    find(request) {
      const row = request && standing.get(request.keyHash, request.at)
      if (!row) return undefined
      const { bodyHash, result, ...rest } = row
      return bodyHash === request.bodyHash ? { ...rest, result: JSON.parse(result) } : 'key_reused'
    },
    keep(request, result, contactId) {
      if (!request) return
      const { keyHash, bodyHash, attempt, expiresAt } = request
      insert.run(keyHash, bodyHash, contactId ?? null, JSON.stringify(result), attempt, expiresAt)
    },
  }
}
