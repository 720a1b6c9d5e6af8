import type { Attachment, AttachmentInput, AttachmentType, Upload } from '../../../contract/index.ts'
import type { StoredFile, StoredUpload } from '../attachmentRecords.ts'

/** How long an upload waits for its message. */
const uploadLifetimeMs = 60 * 60 * 1000

/** Uploads that are as old as this, or older, can no longer be attached. */
export const uploadLimit = (now: string): string => new Date(Date.parse(now) - uploadLifetimeMs).toISOString()

/** How many files a transaction deletes at most. Deleting a file takes as long as writing it. */
export const eraseFilesBatchSize = 5

/** What a smaller file counts for the limits: its row takes room, too. */
export const leastCountedBytes = 16 * 1024

/** The beginning and the end of a day (UTC). */
export const dayOf = (at: string): [start: string, end: string] => [`${at.slice(0, 10)}T`, `${at.slice(0, 10)}U`]

/** The uploader of the organization's files, in place of the hash of a session. */
export const organizationUploader = ''

const isOrganization = (uploader: string): boolean => uploader === organizationUploader

/** An attachment as its columns hold it. */
export interface UploadRecord {
  id: string
  /** `null` until the upload is complete. */
  type: AttachmentType | null
  size: number
  width: number | null
  height: number | null
}

/** The columns of `UploadRecord`. */
export const uploadColumns = 'id, type, size, width, height'

function toUpload({ id, type, size, width, height }: UploadRecord): Upload | undefined {
  if (type === null) return undefined
  return { id, type, size, ...(width !== null && { width }), ...(height !== null && { height }) }
}

/** Who began an upload, and what came of it. */
export interface ExistingUpload extends UploadRecord {
  uploader: string
  messageId: string | null
  contentHash: string | null
  createdAt: string
}

/**
 * Decides about a row with the id of a new upload. A complete upload is a repetition if it is the uploader's, or if a
 * message has it: the visitor may have another session by now. `replace` an upload that is incomplete or too old, or that
 * waits for a message of another session of the visitor. Visitors and the organization never replace each other's.
 */
export function decideUpload(
  existing: ExistingUpload,
  uploader: string,
  now: string,
): 'replace' | 'taken' | StoredUpload {
  const { contentHash, messageId, createdAt } = existing
  if (isOrganization(existing.uploader) !== isOrganization(uploader)) return 'taken'
  const upload = toUpload(existing)
  const isWaiting = existing.uploader === uploader && createdAt > uploadLimit(now)
  return upload && contentHash !== null && (messageId !== null || isWaiting) ? { upload, contentHash } : 'replace'
}

/** A row of a file, with the name that its message has given it. */
export interface FileRecord extends UploadRecord {
  conversationId: string
  name: string | null
}

export function toStoredFile({ conversationId, name, ...record }: FileRecord): StoredFile | null {
  const upload = toUpload(record)
  return upload ? { conversationId, upload, ...(name !== null && { name }) } : null
}

/** The files of a message; `file_missing` if one of them was not found. */
export function toAttachments(files: AttachmentInput[], found: UploadRecord[]): Attachment[] | 'file_missing' {
  const attachments = files.flatMap(({ id, name }) => {
    const upload = toUpload(found.find(record => record.id === id) ?? noUpload)
    return upload ? [{ ...upload, name: withEnding(name, upload.type) }] : []
  })
  return attachments.length === files.length ? attachments : 'file_missing'
}

const noUpload: UploadRecord = { id: '', type: null, size: 0, width: null, height: null }

const endings: Record<AttachmentType, string[]> = {
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/webp': ['.webp'],
  'image/gif': ['.gif'],
  'application/pdf': ['.pdf'],
  'text/plain': ['.txt', '.log', '.md', '.csv'],
}

/** The name with an ending of the type: a saved text that is named `invoice.bat` could be run. */
function withEnding(name: string, type: AttachmentType): string {
  const known = endings[type]
  const [defaultEnding = ''] = known
  return known.some(ending => name.toLowerCase().endsWith(ending)) ? name : `${name}${defaultEnding}`
}
