import type { AttachmentInput, Attributes, Upload } from '../../contract/index.ts'
import type { BotScope, NewMessage } from './records.ts'

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

/** A message of a visitor or an agent, with the uploads to attach to it. */
export interface NewMessageWithFiles extends NewMessage {
  files?: AttachmentInput[]
}
/** A visitor's message, with what the page claims about the visitor, and the language that the widget shows. */
export interface NewVisitorMessage extends NewMessageWithFiles {
  claimed?: Attributes
  locale?: string
}
