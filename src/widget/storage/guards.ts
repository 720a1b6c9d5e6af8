import type { Message } from '../../contract/index.ts'
import { isMessages, like } from '../api/guards.ts'

/** A contact's or an anonymous visitor's token. */
export const isToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[cv]:[0-9a-f]{64}$/.test(value)

/** An own message as the outbox keeps it. */
export interface OutboxEntry {
  id: string
  text: string
  createdAt: string
  failure?: 'rejected' | 'network' | undefined
}

/** What is kept of one person. */
export interface Stored {
  epoch: string
  /** The contact's id, or `''` for an anonymous visitor. */
  owner: string
  transcript: readonly Message[]
  /** In the order of sending. */
  outbox: readonly OutboxEntry[]
  draft: string
}

const isStored = like<Stored>({ epoch: '', owner: '', outbox: [{ id: '', text: '', createdAt: '' }] })

/** Reads a record, where it can be used. What can't be read of transcript and draft costs nobody their outbox. */
export const readStored = (record: unknown): Stored | undefined =>
  isStored(record)
    ? {
        ...record,
        transcript: isMessages(record.transcript) ? record.transcript : [],
        draft: typeof record.draft === 'string' ? record.draft : '',
      }
    : undefined
