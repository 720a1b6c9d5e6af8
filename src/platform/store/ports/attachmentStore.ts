import type { Upload } from '../../../contract/index.ts'
import type { BotScope } from './common.ts'

/** Who uploads a file: a session, or the organization to one of the bot's conversations. */
export type Uploader = { sessionHash: string } | { scope: BotScope; conversationId: string }
/** One attempt to upload a file. Its parts count only while no later attempt has begun. */
export interface UploadAttempt {
  conversationId: string
  id: string
  attemptId: string
}
export interface NewUpload {
  id: string
  attemptId: string
  /** What counts for the limits until the size is known. */
  reservedBytes: number
  /** Bytes per day (UTC). */
  limits: { ofConversation: number; ofBot: number }
  createdAt: string
}
/** An upload that is complete, with the hash of the bytes that its sender has sent. */
export interface StoredUpload {
  upload: Upload
  contentHash: string
}
/** A file to read. `name` is absent as long as no message has it. */
export interface StoredFile {
  conversationId: string
  upload: Upload
  name?: string
}

/**
 * Files. A file is written in parts, each by a call of its own, so that none is ever whole in memory. An upload that was
 * interrupted leaves a row without a type, which the next attempt replaces or the purge deletes.
 */
export interface AttachmentStore {
  /**
   * Begins an attempt to upload a file, and ends earlier ones with the same id. Resolves to the conversation, or to the
   * upload if the uploader has stored one with this id. `ended`: the session or conversation does not exist. `taken`: the
   * id belongs to another uploader, or to a file of a message of another one. `full`: a limit would be exceeded.
   */
  beginUpload(
    uploader: Uploader,
    upload: NewUpload,
  ): Promise<{ conversationId: string } | StoredUpload | 'ended' | 'taken' | 'full'>
  /** Stores the part with this number, counted from 0. Resolves to `false` if the upload was deleted or a later attempt has begun. */
  appendUpload(attempt: UploadAttempt, number: number, bytes: Uint8Array): Promise<boolean>
  /**
   * Completes an upload, if the uploader's session is still open. Resolves to `false` if the upload was deleted or a later
   * attempt has begun.
   */
  completeUpload(
    uploader: Uploader,
    attempt: UploadAttempt,
    stored: StoredUpload,
    at: string,
  ): Promise<boolean | 'ended'>
  /** Deletes what an attempt has stored. */
  cancelUpload(attempt: UploadAttempt): Promise<void>
  /**
   * Deletes an upload of the uploader that no message has, also one that is still arriving. Resolves to whether there was one.
   */
  deleteUpload(uploader: Uploader, id: string, at: string): Promise<boolean>
  /** Finds a complete file: one of a message of the reader's conversation, or an upload of the reader's own. */
  findFile(reader: Uploader, id: string, at: string): Promise<StoredFile | null>
  /** Reads the part with this number; `null` if there is none. */
  readFilePart(conversationId: string, id: string, number: number): Promise<Uint8Array | null>
}
