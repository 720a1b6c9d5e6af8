import type { DeskMessage, MemberSummary, Note } from '../../contract/desk.ts'
import type { MessageChange } from '../../contract/index.ts'
import { isSameDay } from '../../widget/ui/dates.ts'
import type { Unsent } from './outbox.ts'

/** What stands in the thread: a message, or a note of the team. It has a status until the platform has it. */
export type TimelineItem = MessageItem | NoteItem
export type MessageItem = DeskMessage & Partial<Pick<Unsent, 'status'>>
export type NoteItem = Note & Partial<Pick<Unsent, 'status'>>

export const isUnsent = ({ status }: TimelineItem): boolean => status !== undefined
export const isNote = (item: TimelineItem): item is NoteItem => 'afterSeq' in item

/** What the member has written, as it will be once the platform has it. */
export function toItem({ kind, id, text, attachments, createdAt, status }: Unsent, me: MemberSummary): TimelineItem {
  const shared = { id, text, createdAt, status }
  if (kind === 'note') return { ...shared, number: 0, afterSeq: 0, author: me }
  const message = {
    ...shared,
    seq: 0,
    author: 'agent',
    sender: { name: me.name },
    memberId: me.id,
    format: 'markdown',
  } as const
  return attachments.length > 0 ? { ...message, attachments } : message
}

/** Adds messages, or replaces those with the same `seq`. Ascending by `seq`. */
export function mergeMessages(known: readonly DeskMessage[], added: readonly DeskMessage[]): DeskMessage[] {
  const bySeq = new Map([...known, ...added].map(message => [message.seq, message]))
  return [...bySeq.values()].sort((one, other) => one.seq - other.seq)
}

/** Adds notes. Ascending by number. */
export function mergeNotes(known: readonly Note[], added: readonly Note[]): Note[] {
  const byId = new Map([...known, ...added].map(note => [note.id, note]))
  return [...byId.values()].sort((one, other) => one.number - other.number)
}

/** Replaces messages that have been changed. A change has neither context nor member, so those of the message stay. */
export function applyChanges(
  messages: readonly DeskMessage[],
  changed: ReadonlyMap<string, MessageChange['message']>,
): DeskMessage[] {
  return messages.map(message => {
    const change = changed.get(message.id)
    if (!change || change.removedAt) return change ?? message
    // A rating that was taken back is absent.
    const { rating: _, ...kept } = message
    return { ...kept, ...change }
  })
}

/**
 * Puts each note after the message with its `afterSeq`. Notes from before the first loaded message are left out: they come
 * with the page that has their message.
 */
export function interleave(messages: readonly DeskMessage[], notes: readonly Note[]): TimelineItem[] {
  const first = messages[0]?.seq ?? 1
  const shown = notes.filter(({ afterSeq }) => first === 1 || afterSeq >= first)
  const items: TimelineItem[] = []
  let next = 0
  const addNotesUpTo = (seq: number) => {
    for (; next < shown.length && (shown[next] as Note).afterSeq <= seq; next++) items.push(shown[next] as Note)
  }
  addNotesUpTo(first - 1)
  for (const message of messages) {
    items.push(message)
    addNotesUpTo(message.seq)
  }
  addNotesUpTo(Infinity)
  return items
}

/** An item, and how it is shown. */
export interface TimelineRow {
  item: TimelineItem
  /** First and last of a group by one author. */
  isFirst: boolean
  isLast: boolean
  startsDay: boolean
}

const maxGroupGapMs = 120_000

/** Creates the rows from index `from` up to `to`. Messages of one author on one day, at most two minutes apart, form a group. */
export function groupItems(items: readonly TimelineItem[], from: number, to: number): TimelineRow[] {
  const rows: TimelineRow[] = []
  for (let index = from; index < to; index++) {
    const item = items[index] as TimelineItem
    const before = items[index - 1]
    const startsDay = !before || !isSameDay(before.createdAt, item.createdAt)
    const isFirst = startsDay || groupOf(before) !== groupOf(item) || isFarFrom(before, item)
    const last = rows.at(-1)
    if (isFirst && last) last.isLast = true
    rows.push({ item, isFirst, isLast: index === items.length - 1, startsDay })
  }
  const next = items[to]
  const end = rows.at(-1)
  if (end && next) end.isLast = groupItems(items, to, to + 1)[0]?.isFirst ?? true
  return rows
}

const isFarFrom = (before: TimelineItem, item: TimelineItem) =>
  Date.parse(item.createdAt) - Date.parse(before.createdAt) > maxGroupGapMs

/** Neighbours with the same value form a group. Notes and events stand alone. */
function groupOf(item: TimelineItem): string {
  if (isNote(item) || item.event || item.author === 'system') return item.id
  return `${item.author} ${item.memberId} ${item.sender?.name}`
}
