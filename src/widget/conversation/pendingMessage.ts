import type { OutboxEntry, OutboxFile } from '../store/guards.ts'

/**
 * A message of the visitor that the platform has not stored yet. A `failed` one stays until the visitor retries or deletes
 * it.
 */
export interface PendingMessage extends OutboxEntry {
  status: 'waiting' | 'sending' | 'failed'
  /** When a message that exceeded the rate limit will be sent again. */
  resumesAt?: string | undefined
}

/** How a message is sent. */
export interface SendOptions {
  /** Empties the draft. */
  finishesDraft?: boolean
  files?: readonly OutboxFile[] | undefined
}

/** Returns what a reload keeps. A page that is loaded later sends the message at once, whatever delayed it before. */
export const toStored = ({ status, resumesAt, ...entry }: PendingMessage): OutboxEntry => entry

/** Returns the message without a trace of earlier attempts to send it. */
export const asWaiting = (entry: PendingMessage): PendingMessage => ({
  ...entry,
  status: 'waiting',
  failure: undefined,
  resumesAt: undefined,
})

/** Returns the list with `next` instead of the entry with that id, or at the end if there is none. */
export function replaceEntry<Entry extends { id: string }>(list: readonly Entry[], id: string, next: Entry[]): Entry[] {
  const isKnown = list.some(entry => entry.id === id)
  return isKnown ? list.flatMap(entry => (entry.id === id ? next : [entry])) : [...list, ...next]
}
