import { endpoints } from '../contract/endpoints.ts'
import type { ContactUpsertEntry, UpsertResult } from '../contract/index.ts'
import type { IdempotentOptions } from './callOptions.ts'
import type { Call } from './request.ts'

export interface UpsertOptions extends IdempotentOptions {
  /** Told after each request how many entries are written, of how many; the one to ask where the upsert is aborted. */
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined
}

/** Upserts any number of entries, in as few requests as the platform takes. */
export async function upsert(
  call: Call,
  entries: readonly ContactUpsertEntry[],
  { onProgress, idempotencyKey, ...options }: UpsertOptions = {},
): Promise<UpsertResult[]> {
  const parts = split(entries)
  const total = entries.length
  const results: UpsertResult[] = []
  for (const [number, part] of parts.entries()) {
    const written = results.length
    const { data } = await call('upsertContacts', {
      ...options,
      body: { data: part },
      part: { written, total },
      // A key stands for one request: each part of a given key has its own, the same in the caller's next attempt.
      idempotencyKey: idempotencyKey && parts.length > 1 ? `${idempotencyKey}-${number + 1}` : idempotencyKey,
    })
    for (const { index, id } of data) results.push({ index: index + written, id })
    onProgress?.({ done: results.length, total })
  }
  return results
}

const { maxBytes, maxEntries } = endpoints.upsertContacts.body
const bytesOf = (text: string): number => new TextEncoder().encode(text).length
const frame = bytesOf(JSON.stringify({ data: [] }))

/** Consecutive parts, each small enough for one request; an entry that is too big by itself has a part of its own. */
function split(entries: readonly ContactUpsertEntry[]): ContactUpsertEntry[][] {
  const parts: ContactUpsertEntry[][] = []
  let room = 0
  for (const entry of entries) {
    // What JSON has no word for stands as null in an array; the platform says what is wrong with it.
    const bytes = bytesOf(JSON.stringify(entry) ?? 'null') + 1
    const last = parts.at(-1)
    if (last && last.length < maxEntries && bytes <= room) {
      last.push(entry)
      room -= bytes
    } else {
      parts.push([entry])
      room = maxBytes - frame - bytes
    }
  }
  return parts
}
