import type { Attributes, Message } from '../../contract/index.ts'
import { createGuard, isMessages } from '../api/guards.ts'

/** An own message as the outbox keeps it. */
export interface OutboxEntry {
  id: string
  text: string
  createdAt: string
  context?: Attributes | undefined
  failure?: 'rejected' | 'network' | undefined
}

/** The text in the composer, as tabs and storage compare it. */
export interface DraftVersion {
  /** From the first letter until the text is sent; `''` before. */
  id: string
  /** Counts the changes of this draft. */
  revision: number
  text: string
  /** Drafts that have been sent, the latest last: no tab may bring them back. */
  finishedIds: readonly string[]
}

export const emptyDraft: DraftVersion = { id: '', revision: 0, text: '', finishedIds: [] }

/** What is kept of one person. */
export interface Stored {
  epoch: string
  /** The contact's id, or `''` for an anonymous visitor. */
  owner: string
  transcript: readonly Message[]
  /** In the order of sending. */
  outbox: readonly OutboxEntry[]
  draft: DraftVersion
}

/** The larger record, which a keystroke must not rewrite. */
export type ConversationRecord = Omit<Stored, 'draft'>

/** The draft's own record. */
export interface DraftRecord extends DraftVersion {
  epoch: string
}

const isConversationRecord = createGuard<ConversationRecord>({
  epoch: '',
  owner: '',
  outbox: [{ id: '', text: '', createdAt: '' }],
})

/** Reads a stored conversation. A transcript that can't be read doesn't cost the visitor the outbox. */
export const parseConversationRecord = (record: unknown): ConversationRecord | undefined =>
  isConversationRecord(record)
    ? { ...record, transcript: isMessages(record.transcript) ? record.transcript : [] }
    : undefined

const isDraftRecord = createGuard<DraftRecord>({ epoch: '', id: '', revision: 0, text: '', finishedIds: [''] })

export const parseDraftRecord = (record: unknown): DraftRecord | undefined =>
  isDraftRecord(record) ? record : undefined
