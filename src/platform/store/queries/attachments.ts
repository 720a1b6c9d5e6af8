import type { Message } from '../../../contract/index.ts'
import type { Database, Queries } from '../database.ts'
import {
  dayOf,
  decideUpload,
  type ExistingUpload,
  eraseFilesBatchSize,
  type FileRecord,
  leastCountedBytes,
  organizationUploader,
  toAttachments,
  toStoredFile,
  type UploadRecord,
  uploadColumns,
  uploadLimit,
} from '../rules/attachments.ts'
import { openSessionSql } from '../rules/sessions.ts'
import type { AttachmentStore, NewMessage, NewMessageWithFiles, UploadAttempt, Uploader } from '../store.ts'
import { type AppendOptions, append } from './messages.ts'

/** The conversation of an uploader, and the uploader as its files name it. */
interface UploaderConversation {
  conversationId: string
  botId: string
  uploader: string
}

const lockOfSession = 'FOR SHARE OF s FOR NO KEY UPDATE OF v'
const lockOfConversation = 'FOR NO KEY UPDATE OF v'

/**
 * `openAt`: the time at which the session of an uploader must be open. `ignoresExpiry`: it must not have ended, but may
 * have expired. `isLocked`: locks the conversation and the session against writers.
 */
type FindOptions = { openAt: string; isLocked: true } | { ignoresExpiry: true }

function findUploaderConversation(
  db: Queries,
  uploader: Uploader,
  options: FindOptions,
): Promise<UploaderConversation | undefined> {
  const isLocked = 'isLocked' in options
  if ('sessionHash' in uploader) {
    const [condition, times] =
      'openAt' in options ? [openSessionSql('$2'), [options.openAt]] : ['s.ended_at IS NULL', []]
    return db.one<UploaderConversation>(
      `SELECT v.id AS "conversationId", v.bot_id AS "botId", s.hash AS uploader
       FROM sessions s JOIN conversations v ON v.id = s.conversation_id
       WHERE s.hash = $1 AND ${condition} ${isLocked ? lockOfSession : ''}`,
      [uploader.sessionHash, ...times],
    )
  }
  return db.one<UploaderConversation>(
    `SELECT v.id AS "conversationId", v.bot_id AS "botId", '${organizationUploader}' AS uploader
     FROM conversations v JOIN bots b ON b.id = v.bot_id
     WHERE v.id = $1 AND v.bot_id = $2 AND b.organization_id = $3 ${isLocked ? lockOfConversation : ''}`,
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
        const conversation = await findUploaderConversation(tx, uploader, { openAt: createdAt, isLocked: true })
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
        if (!(await findUploaderConversation(tx, uploader, { openAt: at, isLocked: true }))) return 'ended'
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
        const conversation = await findUploaderConversation(tx, uploader, { openAt: at, isLocked: true })
        if (!conversation) return false
        const rows = await tx.all(
          `DELETE FROM attachments WHERE conversation_id = $1 AND id = $2 AND uploader = $3 AND message_id IS NULL
           RETURNING id`,
          [conversation.conversationId, id, conversation.uploader],
        )
        return rows.length === 1
      }),
    async findFile(reader, id) {
      // The request has checked the expiry of its session.
      const conversation = await findUploaderConversation(db, reader, { ignoresExpiry: true })
      if (!conversation) return null
      const row = await db.one<FileRecord>(
        `SELECT a.conversation_id AS "conversationId", a.id, a.type, a.size, a.width, a.height, (
             SELECT value ->> 'name' FROM messages m, json_array_elements(m.attachments) AS value
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

/**
 * Deletes some files of a conversation, which the caller has locked, if it has more than can be deleted at once. Resolves to
 * whether it has done so.
 */
export async function eraseFiles(tx: Queries, conversationId: string): Promise<boolean> {
  const erased = await tx.all(
    `WITH files AS MATERIALIZED (SELECT id FROM attachments WHERE conversation_id = $1 LIMIT $2::int + 1)
     DELETE FROM attachments WHERE conversation_id = $1 AND id IN (SELECT id FROM files)
       AND (SELECT count(*) FROM files) > $2::int RETURNING id`,
    [conversationId, eraseFilesBatchSize],
  )
  return erased.length > 0
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
