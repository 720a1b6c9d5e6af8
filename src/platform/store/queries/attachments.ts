import type { Attachment, AttachmentInput, AttachmentType, Message, Upload } from '../../../contract/index.ts'
import type { Database, Queries } from '../database.ts'
import type {
  AttachmentStore,
  NewMessage,
  NewMessageWithFiles,
  StoredFile,
  StoredUpload,
  UploadAttempt,
  Uploader,
} from '../store.ts'
import { openSessionSql, timeBefore } from './common.ts'
import { type AppendOptions, append } from './messages.ts'

/** How long an upload waits for its message. */
const uploadLifetimeMs = 60 * 60 * 1000

/** Uploads that are as old as this, or older, can no longer be attached. */
export const uploadLimit = (now: string): string => timeBefore(now, uploadLifetimeMs)

/** What a smaller file counts for the limits: its row takes room, too. */
const leastCountedBytes = 16 * 1024

/** The beginning and the end of a day (UTC). */
const dayOf = (at: string): [start: string, end: string] => [`${at.slice(0, 10)}T`, `${at.slice(0, 10)}U`]

/** The uploader of the organization's files, in place of the hash of a session. */
export const organizationUploader = ''

const isOrganization = (uploader: string): boolean => uploader === organizationUploader

/** An attachment as its columns hold it. */
interface UploadRecord {
  id: string
  /** `null` until the upload is complete. */
  type: AttachmentType | null
  size: number
  width: number | null
  height: number | null
}

/** The columns of `UploadRecord`. */
const uploadColumns = 'id, type, size, width, height'

function toUpload({ id, type, size, width, height }: UploadRecord): Upload | undefined {
  if (type === null) return undefined
  return { id, type, size, ...(width !== null && { width }), ...(height !== null && { height }) }
}

/** Who began an upload, and what came of it. */
interface ExistingUpload extends UploadRecord {
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
function decideUpload(existing: ExistingUpload, uploader: string, now: string): 'replace' | 'taken' | StoredUpload {
  const { contentHash, messageId, createdAt } = existing
  if (isOrganization(existing.uploader) !== isOrganization(uploader)) return 'taken'
  const upload = toUpload(existing)
  const isWaiting = existing.uploader === uploader && createdAt > uploadLimit(now)
  return upload && contentHash !== null && (messageId !== null || isWaiting) ? { upload, contentHash } : 'replace'
}

/** A row of a file, with the name that its message has given it. */
interface FileRecord extends UploadRecord {
  conversationId: string
  name: string | null
}

function toStoredFile({ conversationId, name, ...record }: FileRecord): StoredFile | null {
  const upload = toUpload(record)
  return upload ? { conversationId, upload, ...(name !== null && { name }) } : null
}

/** The files of a message; `file_missing` if one of them was not found. */
function toAttachments(files: AttachmentInput[], found: UploadRecord[]): Attachment[] | 'file_missing' {
  const uploads = new Map(found.map(record => [record.id, toUpload(record)]))
  const attachments = files.flatMap(({ id, name }) => {
    const upload = uploads.get(id)
    return upload ? [{ ...upload, name: withEnding(name, upload.type) }] : []
  })
  return attachments.length === files.length ? attachments : 'file_missing'
}

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

/** The conversation of an uploader, and the uploader as its files name it. */
interface UploaderConversation {
  conversationId: string
  botId: string
  uploader: string
}

/** Finds the conversation of an uploader whose session, if it has one, is open. `locking`: against writers. */
function findUploaderConversation(
  db: Queries,
  uploader: Uploader,
  at: string,
  locking: 'locked' | 'unlocked' = 'locked',
): Promise<UploaderConversation | undefined> {
  const lock = locking === 'locked' ? 'FOR NO KEY UPDATE OF v' : ''
  if ('sessionHash' in uploader)
    return db.one<UploaderConversation>(
      `SELECT v.id AS "conversationId", v.bot_id AS "botId", s.hash AS uploader
       FROM sessions s JOIN conversations v ON v.id = s.conversation_id
       WHERE s.hash = $1 AND ${openSessionSql('$2')} ${lock && `FOR SHARE OF s ${lock}`}`,
      [uploader.sessionHash, at],
    )
  return db.one<UploaderConversation>(
    `SELECT v.id AS "conversationId", v.bot_id AS "botId", '${organizationUploader}' AS uploader
     FROM conversations v JOIN bots b ON b.id = v.bot_id
     WHERE v.id = $1 AND v.bot_id = $2 AND b.organization_id = $3 ${lock}`,
    [uploader.conversationId, uploader.scope.botId, uploader.scope.organizationId],
  )
}

/** Locks the bot of an uploader, so that uploads to several conversations cannot exceed its limit together. */
async function lockBot(tx: Queries, uploader: Uploader): Promise<void> {
  const [id, value] =
    'sessionHash' in uploader
      ? ['(SELECT bot_id FROM sessions WHERE hash = $1)', uploader.sessionHash]
      : ['$1', uploader.scope.botId]
  await tx.all(`SELECT id FROM bots WHERE id = ${id} FOR NO KEY UPDATE`, [value])
}

const counted = `greatest(size, ${leastCountedBytes})`
const ofAttempt = 'conversation_id = $1 AND id = $2 AND attempt_id = $3 AND type IS NULL'
const valuesOf = ({ conversationId, id, attemptId }: UploadAttempt) => [conversationId, id, attemptId]

export function attachments(db: Database): AttachmentStore {
  return {
    beginUpload: (uploader, { id, attemptId, reservedBytes, limits, createdAt }) =>
      db.transact(async tx => {
        await lockBot(tx, uploader)
        const conversation = await findUploaderConversation(tx, uploader, createdAt)
        if (!conversation) return 'ended'
        const { conversationId, botId } = conversation
        const existing = await tx.one<ExistingUpload>(
          `SELECT ${uploadColumns}, uploader, message_id AS "messageId", hash AS "contentHash",
             created_at AS "createdAt"
           FROM attachments WHERE conversation_id = $1 AND id = $2`,
          [conversationId, id],
        )
        const decision = existing ? decideUpload(existing, conversation.uploader, createdAt) : 'replace'
        if (decision !== 'replace') return decision
        const others = await tx.one<{ ofConversation: number; ofBot: number }>(
          `SELECT coalesce(sum(${counted}), 0)::bigint AS "ofBot",
             coalesce(sum(${counted}) FILTER (WHERE conversation_id = $1), 0)::bigint AS "ofConversation"
           FROM attachments
           WHERE bot_id = $2 AND created_at >= $3 AND created_at < $4 AND NOT (conversation_id = $1 AND id = $5)`,
          [conversationId, botId, ...dayOf(createdAt), id],
        )
        const { ofConversation, ofBot } = others ?? { ofConversation: 0, ofBot: 0 }
        const bytes = Math.max(reservedBytes, leastCountedBytes)
        if (ofConversation + bytes > limits.ofConversation || ofBot + bytes > limits.ofBot) return 'full'
        await tx.all('DELETE FROM attachments WHERE conversation_id = $1 AND id = $2', [conversationId, id])
        await tx.all(
          `INSERT INTO attachments (conversation_id, id, bot_id, uploader, attempt_id, size, created_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7)`,
          [conversationId, id, botId, conversation.uploader, attemptId, reservedBytes, createdAt],
        )
        return { conversationId }
      }),
    async appendUpload(attempt, number, bytes) {
      const rows = await db.write(
        `INSERT INTO attachment_parts (conversation_id, attachment_id, number, bytes)
         SELECT conversation_id, id, $4, $5 FROM attachments WHERE ${ofAttempt} FOR KEY SHARE RETURNING number`,
        [...valuesOf(attempt), number, bytes],
      )
      return rows.length === 1
    },
    completeUpload: (uploader, attempt, { upload, contentHash }, at) =>
      db.transact(async tx => {
        if (!(await findUploaderConversation(tx, uploader, at))) return 'ended'
        const { type, size, width, height } = upload
        const rows = await tx.all(
          `UPDATE attachments SET type = $4, size = $5, width = $6, height = $7, hash = $8 WHERE ${ofAttempt}
           RETURNING id`,
          [...valuesOf(attempt), type, size, width, height, contentHash],
        )
        return rows.length === 1
      }),
    async cancelUpload(attempt) {
      await db.write(`DELETE FROM attachments WHERE ${ofAttempt}`, valuesOf(attempt))
    },
    deleteUpload: (uploader, id, at) =>
      db.transact(async tx => {
        const conversation = await findUploaderConversation(tx, uploader, at)
        if (!conversation) return false
        const rows = await tx.all(
          `DELETE FROM attachments WHERE conversation_id = $1 AND id = $2 AND uploader = $3 AND message_id IS NULL
           RETURNING id`,
          [conversation.conversationId, id, conversation.uploader],
        )
        return rows.length === 1
      }),
    async findFile(reader, id, at) {
      const conversation = await findUploaderConversation(db, reader, at, 'unlocked')
      if (!conversation) return null
      const row = await db.one<FileRecord>(
        `SELECT a.conversation_id AS "conversationId", a.id, a.type, a.size, a.width, a.height, (
             SELECT value ->> 'name' FROM messages m, json_array_elements(m.extras -> 'attachments') AS value
             WHERE m.conversation_id = a.conversation_id AND m.id = a.message_id AND value ->> 'id' = a.id
           ) AS name
         FROM attachments a
         WHERE a.conversation_id = $1 AND a.id = $2 AND (a.message_id IS NOT NULL OR a.uploader = $3)`,
        [conversation.conversationId, id, conversation.uploader],
      )
      return row ? toStoredFile(row) : null
    },
    async readFilePart(conversationId, id, number) {
      const row = await db.one<{ bytes: Buffer }>(
        'SELECT bytes FROM attachment_parts WHERE conversation_id = $1 AND attachment_id = $2 AND number = $3',
        [conversationId, id, number],
      )
      return row?.bytes ?? null
    },
  }
}

/** Stores messages and attaches the uploads of the first one's sender to it. The caller has locked the conversation. */
export async function appendWithFiles(
  tx: Queries,
  conversationId: string,
  [{ files = [], ...message }, ...others]: [NewMessageWithFiles, ...NewMessage[]],
  { uploader, at }: { uploader: string; at: string },
  options: AppendOptions,
): Promise<Message | 'file_missing'> {
  if (files.length === 0) return append(tx, conversationId, [message, ...others], options)
  const ids = files.map(({ id }) => id)
  // Locked, so that no purge deletes them before the message is committed.
  const found = await tx.all<UploadRecord>(
    `SELECT ${uploadColumns} FROM attachments WHERE conversation_id = $1 AND id = ANY ($2) AND uploader = $3
       AND message_id IS NULL AND created_at > $4 FOR UPDATE`,
    [conversationId, ids, uploader, uploadLimit(at)],
  )
  const attachments = toAttachments(files, found)
  if (attachments === 'file_missing') return attachments
  const stored = await append(tx, conversationId, [{ ...message, attachments }, ...others], options)
  await tx.all('UPDATE attachments SET message_id = $3 WHERE conversation_id = $1 AND id = ANY ($2)', [
    conversationId,
    ids,
    message.id,
  ])
  return stored
}
