import type { Message } from '../../contract/index.ts'
import type { PendingMessage } from '../state/conversation.ts'
import { isSameDay } from './dates.ts'

/** A message's place in the transcript. */
export interface MessageRow {
  kind: 'message'
  key: string
  author: Message['author']
  text: string
  at: string
  /** First and last of a run of one author. */
  first: boolean
  last: boolean
  /** Of own messages: where it stands. */
  status?: PendingMessage['status'] | 'sent'
}

/** A line of the transcript: a message, a new day, or the place up to which the visitor had read. */
export type Row = MessageRow | { kind: 'day'; key: string; at: string } | { kind: 'new'; key: string }

/** What the transcript is made of. */
export interface Said {
  messages: readonly Message[]
  pending: readonly PendingMessage[]
  /** Id of the reply that is coming. */
  replyId?: string | undefined
  now: string
  /** The divider stands before the first message by others after this seq. */
  readUntil?: number | undefined
}

const runMs = 120_000

/** The transcript's lines: days apart, runs of one author within two minutes together. */
export function transcriptRows({ messages, pending, replyId, now, readUntil }: Said): Row[] {
  const stored = new Set(messages.map(message => message.id))
  const rows: Row[] = []
  let previous: MessageRow | undefined
  let ownLast: MessageRow | undefined
  let divided = readUntil === undefined

  const add = (key: string, author: Message['author'], text: string, at: string, status?: MessageRow['status']) => {
    const before = previous
    const row: MessageRow = { kind: 'message', key, author, text, at, first: true, last: true }
    if (status) row.status = status
    if (!before || !isSameDay(new Date(before.at), new Date(at))) rows.push({ kind: 'day', key: `day ${key}`, at })
    else if (
      before === rows.at(-1) &&
      before.author === author &&
      Date.parse(at) - Date.parse(before.at) < runMs &&
      // A failed message keeps its own line with what to do about it.
      before.status !== 'failed' &&
      status !== 'failed'
    ) {
      row.first = before.last = false
    }
    rows.push(row)
    previous = row
    if (author === 'visitor') ownLast = row
  }

  for (const { id, seq, author, text, createdAt } of messages) {
    if (!divided && author !== 'visitor' && seq > (readUntil ?? 0)) {
      divided = true
      rows.push({ kind: 'new', key: 'new' })
    }
    add(id, author, text, createdAt)
  }
  if (ownLast) ownLast.status = 'sent'
  // A stored message may arrive before the outbox lets go of it: it is shown once.
  for (const { id, text, createdAt, status } of pending) {
    if (!stored.has(id)) {
      if (ownLast?.status === 'sent') delete ownLast.status
      add(id, 'visitor', text, createdAt, status)
    }
  }
  if (replyId !== undefined && !stored.has(replyId)) add(replyId, 'bot', '', now)
  return rows
}
