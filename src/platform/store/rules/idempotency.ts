import type { IdempotentRequest, KeyRefused } from '../records.ts'

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

/** Whether a request with a key is carried out. */
export type Claim =
  /** It is carried out. */
  | { kind: 'claimed' }
  /** The same request has been carried out before. */
  | { kind: 'replayed'; stored: StoredRequest }
  /** `not_found`: it has been carried out, and its contact has been deleted since. */
  | { kind: 'rejected'; reason: KeyRefused | 'not_found' }

/** Decides about a request whose key may be in use. */
export function decideClaim({ bodyHash, attempt }: IdempotentRequest, stored: StoredRequest | undefined): Claim {
  if (!stored) return { kind: 'claimed' }
  const hasNoResult = stored.result === null
  const isErased = stored.result === erasedResult
  if (!hasNoResult && !isErased && stored.bodyHash !== bodyHash) return { kind: 'rejected', reason: 'key_reused' }
  // It was delayed on its way. Its client has the answer to a later attempt, and may have acted on it.
  if (attempt < stored.attempt) return { kind: 'rejected', reason: 'superseded' }
  // Carrying it out would bring the deleted contact back.
  if (isErased) return { kind: 'rejected', reason: 'not_found' }
  return hasNoResult ? { kind: 'claimed' } : { kind: 'replayed', stored }
}
