import type { DatabaseSync } from 'node:sqlite'
import type { Attachment, AttachmentInput } from '../../../contract/index.ts'
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
import type { AttachmentStore, ContactScope, UploadAttempt, Uploader } from '../store.ts'
import { prepare, type Sync } from './connection.ts'

export type AttachmentReads = Sync<Pick<AttachmentStore, 'findFile' | 'readFilePart'>>
export type AttachmentWrites = Sync<
  Pick<AttachmentStore, 'beginUpload' | 'appendUpload' | 'completeUpload' | 'cancelUpload' | 'deleteUpload'>
>

/** The conversation of an uploader, and the uploader as its files name it. */
interface UploaderConversation {
  conversationId: string
  botId: string
  uploader: string
}

/**
 * `openAt`: the time at which the session of an uploader must be open. `ignoresExpiry`: it must not have ended, but may
 * have expired.
 */
type FindOptions = { openAt: string } | { ignoresExpiry: true }

function prepareFindUploaderConversation(
  db: DatabaseSync,
): (uploader: Uploader, options: FindOptions) => UploaderConversation | undefined {
  const ofSession = (condition: string) =>
    prepare<UploaderConversation>(
      db,
      `SELECT v.id AS conversationId, v.bot_id AS botId, s.hash AS uploader
       FROM sessions s JOIN conversations v ON v.id = s.conversation_id
       WHERE s.hash = ? AND ${condition}`,
    )
  const ofOpenSession = ofSession(openSessionSql('?'))
  const ofUnendedSession = ofSession('s.ended_at IS NULL')
  const ofOrganization = prepare<UploaderConversation>(
    db,
    `SELECT v.id AS conversationId, v.bot_id AS botId, ? AS uploader FROM conversations v JOIN bots b ON b.id = v.bot_id
     WHERE v.id = ? AND v.bot_id = ? AND b.organization_id = ?`,
  )
  return (uploader, options) => {
    if ('sessionHash' in uploader)
      return 'openAt' in options
        ? ofOpenSession.get(uploader.sessionHash, options.openAt)
        : ofUnendedSession.get(uploader.sessionHash)
    const { scope, conversationId } = uploader
    return ofOrganization.get(organizationUploader, conversationId, scope.botId, scope.organizationId)
  }
}

export function attachmentReads(db: DatabaseSync): AttachmentReads {
  const findUploaderConversation = prepareFindUploaderConversation(db)
  const file = prepare<FileRecord>(
    db,
    `SELECT a.conversation_id AS conversationId, a.id, a.type, a.size, a.width, a.height, (
         SELECT value ->> 'name' FROM messages m, json_each(m.attachments)
         WHERE m.conversation_id = a.conversation_id AND m.id = a.message_id AND value ->> 'id' = a.id
       ) AS name
     FROM attachments a
     WHERE a.conversation_id = ? AND a.id = ? AND (a.message_id IS NOT NULL OR a.uploader = ?)`,
  )
  const part = prepare<{ bytes: Uint8Array }>(
    db,
    'SELECT bytes FROM attachment_parts WHERE conversation_id = ? AND attachment_id = ? AND number = ?',
  )
  return {
    findFile(reader, id) {
      // The request has checked the expiry of its session.
      const conversation = findUploaderConversation(reader, { ignoresExpiry: true })
      const row = conversation && file.get(conversation.conversationId, id, conversation.uploader)
      return row ? toStoredFile(row) : null
    },
    readFilePart: (conversationId, id, number) => part.get(conversationId, id, number)?.bytes ?? null,
  }
}

/** Deletes some files of a contact if it has more than can be deleted at once. Returns whether it has done so. */
export function prepareEraseFiles(db: DatabaseSync): (scope: ContactScope) => boolean {
  const erase = db.prepare(
    `WITH files AS MATERIALIZED (
       SELECT a.rowid AS number FROM conversations v JOIN attachments a ON a.conversation_id = v.id
       WHERE v.contact_id = ? LIMIT ${eraseFilesBatchSize + 1}
     )
     DELETE FROM attachments WHERE rowid IN (SELECT number FROM files)
       AND (SELECT count(*) FROM files) > ${eraseFilesBatchSize}`,
  )
  return ({ contactId }) => Number(erase.run(contactId).changes) > 0
}

export function attachmentWrites(db: DatabaseSync): AttachmentWrites {
  const findUploaderConversation = prepareFindUploaderConversation(db)
  const existingUpload = prepare<ExistingUpload>(
    db,
    `SELECT ${uploadColumns}, uploader, message_id AS messageId, hash AS contentHash, created_at AS createdAt
     FROM attachments WHERE conversation_id = ? AND id = ?`,
  )
  const counted = `max(size, ${leastCountedBytes})`
  const ofDay = prepare<{ ofConversation: number; ofBot: number }>(
    db,
    `SELECT coalesce(sum(${counted}), 0) AS ofBot,
       coalesce(sum(${counted}) FILTER (WHERE conversation_id = ?), 0) AS ofConversation
     FROM attachments WHERE bot_id = ? AND created_at >= ? AND created_at < ? AND NOT (conversation_id = ? AND id = ?)`,
  )
  const remove = db.prepare('DELETE FROM attachments WHERE conversation_id = ? AND id = ?')
  const insert = db.prepare(
    `INSERT INTO attachments (conversation_id, id, bot_id, uploader, attempt_id, size, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const ofAttempt = 'conversation_id = ? AND id = ? AND attempt_id = ? AND type IS NULL'
  const append = db.prepare(
    `INSERT INTO attachment_parts (conversation_id, attachment_id, number, bytes)
     SELECT conversation_id, id, ?, ? FROM attachments WHERE ${ofAttempt}`,
  )
  const complete = db.prepare(
    `UPDATE attachments SET type = ?, size = ?, width = ?, height = ?, hash = ? WHERE ${ofAttempt}`,
  )
  const cancel = db.prepare(`DELETE FROM attachments WHERE ${ofAttempt}`)
  const removeUnsent = db.prepare(
    'DELETE FROM attachments WHERE conversation_id = ? AND id = ? AND uploader = ? AND message_id IS NULL',
  )
  const valuesOf = ({ conversationId, id, attemptId }: UploadAttempt) => [conversationId, id, attemptId] as const

  return {
    beginUpload(uploader, { id, attemptId, reservedBytes, limits, createdAt }) {
      const conversation = findUploaderConversation(uploader, { openAt: createdAt })
      if (!conversation) return 'ended'
      const { conversationId, botId } = conversation
      const row = existingUpload.get(conversationId, id)
      const decision = row ? decideUpload(row, conversation.uploader, createdAt) : 'replace'
      if (decision !== 'replace') return decision
      const others = ofDay.get(conversationId, botId, ...dayOf(createdAt), conversationId, id)
      const { ofConversation, ofBot } = others ?? { ofConversation: 0, ofBot: 0 }
      const bytes = Math.max(reservedBytes, leastCountedBytes)
      if (ofConversation + bytes > limits.ofConversation || ofBot + bytes > limits.ofBot) return 'full'
      remove.run(conversationId, id)
      insert.run(conversationId, id, botId, conversation.uploader, attemptId, reservedBytes, createdAt)
      return { conversationId }
    },
    appendUpload: (attempt, number, bytes) => Number(append.run(number, bytes, ...valuesOf(attempt)).changes) === 1,
    completeUpload(uploader, attempt, { upload, contentHash }, at) {
      if (!findUploaderConversation(uploader, { openAt: at })) return 'ended'
      const { type, size, width = null, height = null } = upload
      return Number(complete.run(type, size, width, height, contentHash, ...valuesOf(attempt)).changes) === 1
    },
    cancelUpload(attempt) {
      cancel.run(...valuesOf(attempt))
    },
    deleteUpload(uploader, id, at) {
      const conversation = findUploaderConversation(uploader, { openAt: at })
      if (!conversation) return false
      return Number(removeUnsent.run(conversation.conversationId, id, conversation.uploader).changes) === 1
    },
  }
}

/** Finds the uploads that a message attaches, and marks them as its own after it is stored. */
export function prepareTakeUploads(db: DatabaseSync) {
  const free = prepare<UploadRecord>(
    db,
    `SELECT ${uploadColumns} FROM attachments
     WHERE conversation_id = ? AND id IN (SELECT value FROM json_each(?)) AND uploader = ? AND message_id IS NULL
       AND created_at > ?`,
  )
  const take = db.prepare('UPDATE attachments SET message_id = ? WHERE conversation_id = ? AND id = ?')
  return {
    findUploads(
      conversationId: string,
      files: AttachmentInput[],
      { uploader, at }: { uploader: string; at: string },
    ): Attachment[] | 'file_missing' {
      const ids = JSON.stringify(files.map(({ id }) => id))
      return toAttachments(files, free.all(conversationId, ids, uploader, uploadLimit(at)))
    },
    takeUploads(conversationId: string, messageId: string, attachments: Attachment[]): void {
      for (const { id } of attachments) take.run(messageId, conversationId, id)
    },
  }
}
