import type { Attributes, Message } from '../../contract/index.ts'
import { createGuard, isMessages } from '../api/guards.ts'

/** A file of an own message that is not stored yet. Its bytes are in a record of their own. */
export interface OutboxFile {
  id: string
  name: string
  /** The type that the browser assumes. The platform decides by the content. */
  type: string
  /** In bytes. */
  size: number
}

/** An own message as the outbox keeps it. */
export interface OutboxEntry {
  id: string
  text: string
  createdAt: string
  files?: readonly OutboxFile[] | undefined
  context?: Attributes | undefined
  failure?: 'rejected' | 'network' | undefined
}

/** The text in the composer, as it is stored. */
export interface StoredDraft {
  epoch: string
  /** The contact's id; `''` for an anonymous visitor, or if it was not known yet. */
  owner: string
  text: string
}

/** What IndexedDB has of a session: the data of one person. */
export interface CachedSession {
  epoch: string
  /** The contact's id, or `''` for an anonymous visitor. */
  owner: string
  transcript: readonly Message[]
  /** The transcript contains all changes up to this revision of the conversation. */
  revision: number
  /** In the order of sending. */
  outbox: readonly OutboxEntry[]
  /** The id of the last message that a preview above the launcher has shown. */
  previewedId?: string | undefined
}

const isCachedSession = createGuard<CachedSession>({
  epoch: '',
  owner: '',
  revision: 0,
  outbox: [{ id: '', text: '', createdAt: '' }],
})

/** Reads a stored conversation. If only the transcript is unreadable, the rest is kept. */
export const parseCachedSession = (record: unknown): CachedSession | undefined =>
  isCachedSession(record)
    ? {
        ...record,
        transcript: isMessages(record.transcript) ? record.transcript : [],
      }
    : undefined

export const isStoredDraft: (record: unknown) => record is StoredDraft = createGuard<StoredDraft>({
  epoch: '',
  owner: '',
  text: '',
})
