import type { IdempotentRequest, KeyRefused } from '../records.ts'

/** What is stored for a key. */
export interface KeptRequest {
  bodyHash: string
  /** `null` if the request was refused. Then another one may use the key. */
  result: unknown
  /** The contact that the result is about, and with which it is deleted. */
  contactId: string | null
  attempt: number
}

/** Whether a request with a key is carried out. */
export type Claim =
  /** It is carried out. */
  | { kind: 'claimed' }
  /** The same request has been carried out before. */
  | { kind: 'replayed'; kept: KeptRequest }
  | { kind: 'refused'; reason: KeyRefused }

/** Decides about a request whose key may be in use. */
export function decideClaim({ bodyHash, attempt }: IdempotentRequest, kept: KeptRequest | undefined): Claim {
  if (!kept) return { kind: 'claimed' }
  const wasRefused = kept.result === null
  if (!wasRefused && kept.bodyHash !== bodyHash) return { kind: 'refused', reason: 'key_reused' }
  // It was delayed on its way. Its client has the answer to a later attempt, and may have acted on it.
  if (attempt < kept.attempt) return { kind: 'refused', reason: 'superseded' }
  return wasRefused ? { kind: 'claimed' } : { kind: 'replayed', kept }
}
