import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { NewUpload, Store, StoredUpload, UploadAttempt, Uploader } from '../../store/store.ts'
import { at } from './storeTenants.ts'

export const newUpload = (overrides: Partial<NewUpload> = {}): NewUpload => ({
  id: randomUUID(),
  attemptId: randomUUID(),
  reservedBytes: 100,
  limits: { ofConversation: 1000 * 1024, ofBot: 1500 * 1024 },
  createdAt: at(3),
  ...overrides,
})
export const attemptOf = (conversationId: string, { id, attemptId }: NewUpload): UploadAttempt => {
  return { conversationId, id, attemptId }
}
export const storedAs = (id: string, size = 8): StoredUpload => ({
  upload: { id, type: 'image/png', size, width: 2, height: 1 },
  contentHash: 'h',
})
const parts = [Buffer.from('\x89PNG'), Buffer.from('\0\xff\x80!', 'latin1')]

export const fileBytes: Buffer = Buffer.concat(parts)

/** Uploads a file. Resolves to its id. */
export async function uploadFile(
  store: Store,
  uploader: Uploader,
  id: string = randomUUID(),
  createdAt: string = at(3),
): Promise<string> {
  const begun = newUpload({ id, createdAt })
  const result = await store.beginUpload(uploader, begun)
  if (typeof result === 'string' || 'contentHash' in result) throw new Error(`Not begun: ${JSON.stringify(result)}`)
  const attempt = attemptOf(result.conversationId, begun)
  for (const [number, bytes] of parts.entries()) await store.appendUpload(attempt, number, bytes)
  expect(await store.completeUpload(uploader, attempt, storedAs(begun.id), begun.createdAt)).toBe(true)
  return begun.id
}

/** The bytes of a file; none if it does not exist. */
export async function readFile(store: Store, conversationId: string, id: string): Promise<Buffer> {
  const found: Uint8Array[] = []
  for (let part = await store.readFilePart(conversationId, id, 0); part; )
    part = await store.readFilePart(conversationId, id, found.push(part))
  return Buffer.concat(found)
}
