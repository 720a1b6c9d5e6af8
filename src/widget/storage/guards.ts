import type { Message } from '../../contract/index.ts'
import { isMessages, like } from '../api/guards.ts'
import type { AuthReason } from '../loader/events.ts'

/** A contact's or an anonymous visitor's token. */
export const isToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[cv]:[0-9a-f]{64}$/.test(value)

/** What begins an epoch. */
export type EpochReason = Exclude<AuthReason, 'replaced' | 'restored'>

/** How often identity has changed in this browser, and what changed it last. */
export interface Epoch {
  n: number
  reason: EpochReason
}

/** Reads `17 logout`; whatever else stands there counts as never. */
export function parseEpoch(value: string | null | undefined): Epoch {
  const [, n, reason] = /^(\d{1,16}) (login|revoked|expired|contact_deleted)?/.exec(value ?? '') ?? []
  return { n: Number(n ?? 0), reason: (reason ?? 'logout') as EpochReason }
}

/** An own message as the outbox keeps it. */
export interface OutboxEntry {
  id: string
  text: string
  createdAt: string
  failure?: 'rejected' | 'network' | undefined
}

/** What is kept of one person. */
export interface Stored {
  epoch: number
  /** The contact's id, or `''` for an anonymous visitor. */
  owner: string
  transcript: readonly Message[]
  /** In the order of sending. */
  outbox: readonly OutboxEntry[]
  draft: string
}

const isStored = like<Stored>({ epoch: 0, owner: '', outbox: [{ id: '', text: '', createdAt: '' }] })

/** Reads a record, where it can be used. What can't be read of transcript and draft costs nobody their outbox. */
export const readStored = (record: unknown): Stored | undefined =>
  isStored(record)
    ? {
        ...record,
        transcript: isMessages(record.transcript) ? record.transcript : [],
        draft: typeof record.draft === 'string' ? record.draft : '',
      }
    : undefined
