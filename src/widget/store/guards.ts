import type { Attributes, Message } from '../../contract/index.ts'
import { createGuard, isMessages } from '../api/guards.ts'
import type { EpochReason } from '../identity/storedIdentity.ts'

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
  /** At most 5. They are uploaded before the message is sent. */
  files?: readonly OutboxFile[] | undefined
  /** Facts about the visitor at the time of writing. Only the organization sees them. */
  context?: Attributes | undefined
  /** Why it failed: `rejected` by the platform, or `network` after all retries. */
  failure?: 'rejected' | 'network' | undefined
}

/** The text in the composer, as it is stored. */
export interface StoredDraft {
  epoch: string
  /** The contact's id; `''` for an anonymous visitor, or if it was not known yet. */
  owner: string
  text: string
}

/** Whose the records in IndexedDB are. */
export interface RecordsMeta {
  epoch: string
  /** Why the epoch has begun. */
  reason: EpochReason
  /** The contact's id, or `''` for an anonymous visitor. */
  owner: string
  /** The token of the anonymous session, which all tabs use; `''` if there is none. */
  token: string
}

export interface Transcript {
  messages: readonly Message[]
  /** The messages contain all changes up to this revision of the conversation. */
  revision: number
  /** The id of the last message that a preview above the launcher has shown. */
  previewedId?: string | undefined
  /** The id of the last message for which a tab has played the sound. */
  soundedId?: string | undefined
}

const isMeta = createGuard<RecordsMeta>({ epoch: '', reason: '', owner: '', token: '' })
const isTranscript = createGuard<Transcript>({ messages: isMessages, revision: 0 })
const isOutbox = createGuard<readonly OutboxEntry[]>([{ id: '', text: '', createdAt: '' }])

export const parseMeta = (record: unknown): RecordsMeta | undefined => (isMeta(record) ? record : undefined)

export const parseTranscript = (record: unknown): Transcript =>
  isTranscript(record) ? record : { messages: [], revision: 0 }

export const parseOutbox = (record: unknown): readonly OutboxEntry[] => (isOutbox(record) ? record : [])

export const isStoredDraft: (record: unknown) => record is StoredDraft = createGuard<StoredDraft>({
  epoch: '',
  owner: '',
  text: '',
})
