import type { IdempotentRequest, KeyRefused } from '../records.ts'

/** What stands for a key. */
export interface KeptRequest {
  bodyHash: string
  /** `null` if the request was refused. Then another one may use the key. */
  result: unknown
  /** The contact that the result is about, and with which it is deleted. */
  contactId: string | null
  attempt: number
}

/** The result of the earlier request with this key, the reason to refuse this one, or `undefined` to carry it out. */
export function resultFor(
  { bodyHash, attempt }: IdempotentRequest,
  kept: KeptRequest | undefined,
): KeptRequest | KeyRefused | undefined {
  if (!kept) return undefined
  const isRefused = kept.result === null
  if (!isRefused && kept.bodyHash !== bodyHash) return 'key_reused'
  // It was delayed on its way. Its client has the answer to a later attempt, and may have acted on it.
  if (attempt < kept.attempt) return 'superseded'
  return isRefused ? undefined : kept
}
