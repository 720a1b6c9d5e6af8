import type { Message } from '../../contract/index.ts'
import type { PendingMessage } from '../state/conversation.ts'
import { isSameDay } from './dates.ts'

/** What the transcript is made of: messages stored or under way, a line of greeting, the reply that is coming. */
export interface Said extends Pick<Message, 'id' | 'author' | 'text'>, Pick<PendingMessage, 'resumesAt'> {
  format?: Message['format'] | undefined
  /** Of stored ones. */
  seq?: number
  /** `''` for a greeting, which has no time. */
  createdAt: string
  /** Of own messages under way, and of the last own one. */
  status?: PendingMessage['status'] | 'sent'
}

/** One of them and its place in the transcript. */
export interface Row extends Said {
  /** The very message, which stays the same while the transcript around it changes. */
  said: Said
  /** First and last of a run of one author. */
  first: boolean
  last: boolean
  /** The first of its day. */
  newDay: boolean
  /** The first that the visitor has not read. */
  newHere: boolean
}

const runMs = 120_000

/** The transcript's rows: days apart, runs of one author within two minutes together. `readUntil` is a seq. */
export function transcriptRows(said: readonly Said[], readUntil = Infinity): Row[] {
  const rows: Row[] = []
  const ids = new Set<string>()
  for (const each of said) {
    const { id, author, createdAt, seq = 0, status } = each
    // A stored message may arrive before the outbox, or the stream, lets go of it: it is shown once.
    if (ids.has(id)) continue
    ids.add(id)
    const before = rows.at(-1)
    const newDay = createdAt !== '' && !(before && isSameDay(before.createdAt, createdAt))
    const newHere = author !== 'visitor' && seq > readUntil
    if (newHere) readUntil = Infinity
    const goesOn =
      before &&
      !newDay &&
      !newHere &&
      before.author === author &&
      !(Date.parse(createdAt) - Date.parse(before.createdAt) > runMs) &&
      // A failed message keeps its own line with what to do about it.
      before.status !== 'failed' &&
      status !== 'failed'
    if (goesOn) before.last = false
    rows.push({ ...each, said: each, first: !goesOn, last: true, newDay, newHere })
  }
  const lastOwn = rows.findLast(({ author }) => author === 'visitor')
  if (lastOwn) lastOwn.status ??= 'sent'
  return rows
}
