import type { Message } from '../../contract/index.ts'
import type { PendingMessage } from '../models/conversation/conversation.ts'
import { isSameDay } from './dates.ts'

/** What the transcript is made of: messages stored or under way, a line of greeting, the reply that is coming. */
export interface TranscriptItem extends Pick<Message, 'id' | 'author' | 'text'>, Pick<PendingMessage, 'resumesAt'> {
  format?: Message['format'] | undefined
  /** Of stored ones. */
  seq?: number
  /** `''` for a greeting, which has no time. */
  createdAt: string
  /** Of own messages under way, and of the last own one. */
  status?: PendingMessage['status'] | 'sent' | undefined
}

/** One of them and its place in the transcript. */
export interface Row extends TranscriptItem {
  /** The very message, which stays the same while the transcript around it changes. */
  items: TranscriptItem
  /** First and last of a run of one author. */
  first: boolean
  last: boolean
  /** The first of its day. */
  startsDay: boolean
  /** The first that the visitor has not read. */
  isFirstUnread: boolean
}

const runMs = 120_000

/**
 * The transcript's rows: days apart, runs of one author within two minutes together. `readUntil` is a seq. Of a long
 * transcript those from one index up to another, which look as they do among all.
 */
export function groupMessages(
  items: readonly TranscriptItem[],
  readUntil = Infinity,
  from = 0,
  to = items.length,
): Row[] {
  const rows: Row[] = []
  const ids = new Set<string>()
  const unread = items.find(({ author, seq = 0 }) => author !== 'visitor' && seq > readUntil)
  const lastOwn = items.findLast(({ author }) => author === 'visitor')
  for (const each of items.slice(Math.max(from - 1, 0), to + 1)) {
    const { id, author, createdAt, status } = each
    // A stored message may arrive before the outbox, or the stream, lets go of it: it is shown once.
    if (ids.has(id)) continue
    ids.add(id)
    const before = rows.at(-1)
    const startsDay = createdAt !== '' && !(before && isSameDay(before.createdAt, createdAt))
    const isFirstUnread = each === unread
    const goesOn =
      before &&
      !startsDay &&
      !isFirstUnread &&
      before.author === author &&
      !(Date.parse(createdAt) - Date.parse(before.createdAt) > runMs) &&
      // A failed message keeps its own line with what to do about it.
      before.status !== 'failed' &&
      status !== 'failed'
    if (goesOn) before.last = false
    rows.push({
      ...each,
      items: each,
      first: !goesOn,
      last: true,
      startsDay,
      isFirstUnread,
      status: status ?? (id === lastOwn?.id ? 'sent' : undefined),
    })
  }
  // The neighbours on either side were there for how these look.
  return rows.slice(from && 1, to < items.length ? -1 : undefined)
}
