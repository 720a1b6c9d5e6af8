import type { Message } from '../../contract/index.ts'
import type { AuthReason } from '../events.ts'
import { isMessage } from '../transport/decode.ts'

/** A contact's token. */
export const isContactToken = (value: unknown): value is string => isToken(value) && value[0] === 'c'

/** A contact's or an anonymous visitor's token. */
export const isToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[cv]:[0-9a-f]{64}$/.test(value)

/** How often identity has changed in this browser, and what changed it last. */
export interface Epoch {
  n: number
  reason: AuthReason
}

const reasons: readonly string[] = ['login', 'logout', 'revoked', 'expired', 'contact_deleted'] satisfies AuthReason[]

/** Reads `17 logout`; whatever else stands there counts as never. */
export function parseEpoch(value: string | null): Epoch {
  const [n, reason] = (value ?? '').split(' ')
  return {
    n: Number.isSafeInteger(Number(n)) ? Number(n) : 0,
    reason: reason !== undefined && reasons.includes(reason) ? (reason as AuthReason) : 'logout',
  }
}

/** An own message as the outbox keeps it. */
export interface OutboxEntry {
  id: string
  text: string
  createdAt: string
  failure?: 'rejected' | 'network'
}

/** What is kept of one person. */
export interface Stored {
  /** In order, without gaps. */
  transcript: readonly Message[]
  /** In the order of sending. */
  outbox: readonly OutboxEntry[]
  draft: string
}

/** Reads the records; what can't be used counts as absent. */
export function decodeStored(records: ReadonlyMap<unknown, unknown>): Stored {
  const transcript = records.get('transcript')
  const draft = records.get('draft')
  return {
    transcript: isTranscript(transcript) ? transcript : [],
    outbox: [...records]
      .filter(([key]) => String(key).startsWith('outbox:'))
      .map(([, entry]) => entry)
      .filter(isOutboxEntry)
      .sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1)),
    draft: typeof draft === 'string' ? draft : '',
  }
}

const isTranscript = (value: unknown): value is Message[] =>
  Array.isArray(value) &&
  value.every((message, at) => isMessage(message) && (at === 0 || message.seq === value[at - 1].seq + 1))

const isOutboxEntry = (value: unknown): value is OutboxEntry => {
  const { id, text, createdAt, failure } = (value ?? {}) as Record<string, unknown>
  return (
    [id, text, createdAt].every(part => typeof part === 'string') &&
    (failure === undefined || failure === 'rejected' || failure === 'network')
  )
}
