import type { ReadonlySignal } from '@preact/signals'
import type { Message } from '../../contract/index.ts'
import type { PendingMessage } from '../models/conversation/conversation.ts'
import { isSameDay } from './dates.ts'

/** What the transcript shows: a stored or pending message, a line of the greeting, or the reply that is streaming in. */
export interface TranscriptItem extends Pick<Message, 'id' | 'author'>, Pick<PendingMessage, 'resumesAt'> {
  /** A signal while it grows. */
  text: string | ReadonlySignal<string>
  format?: Message['format'] | undefined
  /** Of stored ones. */
  seq?: number
  /** `''` for a greeting, which has no time. */
  createdAt: string
  /** Of own messages under way. */
  status?: PendingMessage['status']
}

/** An item and its place in the transcript. */
export interface Row {
  /** For a stored message or the streaming reply the same object at each computation, so that its row doesn't render again. */
  item: TranscriptItem
  /** First and last of a run of one author. */
  isFirst: boolean
  isLast: boolean
  /** Of the last of a run: what follows is of another minute. */
  showsTime: boolean
  /** The first of its day. */
  startsDay: boolean
  /** The first that the visitor has not read. */
  isFirstUnread: boolean
  /** Of own messages under way, and of the last own one. */
  status: PendingMessage['status'] | 'sent' | undefined
}

export interface GroupOptions {
  /** Messages behind this seq are unread. Default: none is. */
  readUpTo?: number | undefined
  /** Only the rows from one index up to another, which look as they do among all. */
  from?: number
  to?: number
}

const maxRunMs = 120_000

/** The transcript's rows: days apart, runs of one author within two minutes together. */
export function groupMessages(
  items: readonly TranscriptItem[],
  { readUpTo = Infinity, from = 0, to = items.length }: GroupOptions = {},
): Row[] {
  const firstUnread = items.find(({ author, seq = 0 }) => author !== 'visitor' && seq > readUpTo)
  const lastOwn = items.findLast(({ author }) => author === 'visitor')
  const rows: Row[] = []
  // One neighbour on either side is included to find where runs begin and end. Both are dropped below.
  for (const item of withoutDuplicates(items.slice(Math.max(from - 1, 0), to + 1))) {
    const before = rows.at(-1)
    const startsDay = item.createdAt !== '' && !(before && isSameDay(before.item.createdAt, item.createdAt))
    const isFirstUnread = item === firstUnread
    const continuesRun = before !== undefined && !startsDay && !isFirstUnread && isSameRun(before.item, item)
    if (continuesRun) before.isLast = false
    if (before) before.showsTime = minuteOf(before.item) !== minuteOf(item)
    rows.push({
      item,
      isFirst: !continuesRun,
      isLast: true,
      showsTime: true,
      startsDay,
      isFirstUnread,
      status: item.status ?? (item.id === lastOwn?.id ? 'sent' : undefined),
    })
  }
  return rows.slice(from && 1, to < items.length ? -1 : undefined)
}

const minuteOf = ({ createdAt }: TranscriptItem) => Math.floor(Date.parse(createdAt) / 60_000)

/** A stored message may arrive before the outbox, or the stream, lets go of it: it is shown once. */
function withoutDuplicates(items: readonly TranscriptItem[]): Iterable<TranscriptItem> {
  const byId = new Map<string, TranscriptItem>()
  for (const item of items) if (!byId.has(item.id)) byId.set(item.id, item)
  return byId.values()
}

function isSameRun(before: TranscriptItem, item: TranscriptItem): boolean {
  return (
    before.author === item.author &&
    !(Date.parse(item.createdAt) - Date.parse(before.createdAt) > maxRunMs) &&
    // A failed message keeps its own line with what to do about it.
    before.status !== 'failed' &&
    item.status !== 'failed'
  )
}
