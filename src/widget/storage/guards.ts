import type { Attributes, Message, Rating } from '../../contract/index.ts'
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
  /** Whether no other tab may send it until the site has said whose it is. */
  isHeld?: boolean | undefined
}

/** A version of the text in the composer. Tabs and storage compare versions by id and revision. */
export interface DraftVersion {
  /** The draft keeps its id from the first letter until it is sent; `''` before the first letter. */
  id: string
  /** Counts the changes of this draft. */
  revision: number
  text: string
  /** The id of the message if this version is sent. Two tabs that send the same version at once send one message. */
  messageId: string
  /** The ids of drafts that have been sent, the latest last. No tab may bring them back. */
  finishedIds: readonly string[]
}

export const emptyDraft: DraftVersion = { id: '', revision: 0, text: '', messageId: '', finishedIds: [] }

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
  draft: DraftVersion
  /** The visitor's ratings of answers that the platform has not stored yet. `null` takes one back. */
  ratings: readonly { id: string; rating: Rating | null }[]
  /** The id of the last message that a preview above the launcher has shown. */
  previewedId?: string | undefined
}

/** The record without the draft, so that a keystroke doesn't rewrite the whole transcript. */
export type ConversationRecord = Omit<CachedSession, 'draft'>

/** The draft's own record. */
export interface DraftRecord extends DraftVersion {
  epoch: string
}

const isConversationRecord = createGuard<ConversationRecord>({
  epoch: '',
  owner: '',
  revision: 0,
  outbox: [{ id: '', text: '', createdAt: '' }],
})

const isRatings = createGuard<CachedSession['ratings']>([{ id: '' }])

/** Reads a stored conversation. If only transcript or ratings are unreadable, the rest is kept. */
export const parseConversationRecord = (record: unknown): ConversationRecord | undefined =>
  isConversationRecord(record)
    ? {
        ...record,
        transcript: isMessages(record.transcript) ? record.transcript : [],
        ratings: isRatings(record.ratings) ? record.ratings : [],
      }
    : undefined

const isDraftRecord = createGuard<DraftRecord>({
  epoch: '',
  id: '',
  revision: 0,
  text: '',
  messageId: '',
  finishedIds: [''],
})

export const parseDraftRecord = (record: unknown): DraftRecord | undefined =>
  isDraftRecord(record) ? record : undefined
