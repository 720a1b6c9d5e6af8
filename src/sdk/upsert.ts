import { endpoints } from '../contract/endpoints.ts'
import type { ContactUpsertEntry, UpsertResult } from '../contract/index.ts'
import { checkIdempotencyKey, type IdempotentOptions } from './callOptions.ts'
import type { EndpointCaller } from './request.ts'

export interface UpsertOptions extends IdempotentOptions {
  /**
   * Called after each request with the number of entries written, and their total. If the upsert is aborted, this is
   * the only count.
   */
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined
}

/** Upserts any number of entries, in as few requests as possible. */
export async function upsert(
  call: EndpointCaller,
  entries: readonly ContactUpsertEntry[],
  { onProgress, idempotencyKey, ...options }: UpsertOptions = {},
): Promise<UpsertResult[]> {
  if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey)
  const parts = split(entries)
  const total = entries.length
  const results: UpsertResult[] = []
  for (const [number, part] of parts.entries()) {
    const written = results.length
    const { data } = await call('upsertContacts', {
      ...options,
      body: { data: part },
      part: { written, total },
      idempotencyKey: idempotencyKey && parts.length > 1 ? await partKey(idempotencyKey, number) : idempotencyKey,
    })
    for (const { index, id } of data) results.push({ index: index + written, id })
    onProgress?.({ done: results.length, total })
  }
  return results
}

/**
 * A key belongs to one request, so each part has its own. It is the same if the caller repeats the call. It is a hash, so
 * that it is not too long, and no other key of the caller.
 */
async function partKey(idempotencyKey: string, number: number): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${idempotencyKey} ${number}`))
  return Array.from(new Uint8Array(hash), byte => byte.toString(16).padStart(2, '0')).join('')
}

const {
  maxBytes,
  entries: { max: maxEntries },
} = endpoints.upsertContacts.body
const bytesOf = (text: string): number => new TextEncoder().encode(text).length
const envelopeBytes = bytesOf(JSON.stringify({ data: [] }))

/** Splits entries into parts that fit into one request. An entry that is too large becomes a part of its own. */
function split(entries: readonly ContactUpsertEntry[]): ContactUpsertEntry[][] {
  const parts: ContactUpsertEntry[][] = []
  let room = 0
  for (const entry of entries) {
    // JSON writes `undefined` in an array as null; the platform reports the error.
    const bytes = bytesOf(JSON.stringify(entry) ?? 'null') + 1
    const last = parts.at(-1)
    if (last && last.length < maxEntries && bytes <= room) {
      last.push(entry)
      room -= bytes
    } else {
      parts.push([entry])
      room = maxBytes - envelopeBytes - bytes
    }
  }
  return parts
}
