import type { Message } from '../../contract/index.ts'
import type { PendingMessage } from '../state/conversation.ts'
import { isSameDay } from './dates.ts'

/** A message and its place in the transcript. */
export interface Row {
  key: string
  author: Message['author']
  text: string
  /** `''` for a greeting, which has no time. */
  at: string
  /** First and last of a run of one author. */
  first: boolean
  last: boolean
  /** The first of its day. */
  newDay: boolean
  /** The first that the visitor has not read. */
  newHere: boolean
  /** Of own messages under way, and of the last own one. */
  status?: PendingMessage['status'] | 'sent' | undefined
}

/** What the transcript is made of. */
export interface Said {
  greeting: readonly string[]
  messages: readonly Message[]
  pending: readonly PendingMessage[]
  /** Id of the reply that is coming. */
  replyId?: string | undefined
  now: string
  /** The visitor has read up to this seq. */
  readUntil?: number | undefined
}

const runMs = 120_000

/** The transcript's rows: days apart, runs of one author within two minutes together. */
export function transcriptRows({ greeting, messages, pending, replyId, now, readUntil = Infinity }: Said): Row[] {
  const rows: Row[] = []
  const keys = new Set<string>()
  let newHere = false
  let lastOwn: Row | undefined

  const add = (key: string, author: Row['author'], text: string, at: string, status?: Row['status']) => {
    // A stored message may arrive before the outbox, or the stream, lets go of it: it is shown once.
    if (keys.has(key)) return
    keys.add(key)
    const before = rows.at(-1)
    const newDay = at !== '' && !(before && isSameDay(before.at, at))
    const goesOn =
      before &&
      !newDay &&
      !newHere &&
      before.author === author &&
      !(Date.parse(at) - Date.parse(before.at) > runMs) &&
      // A failed message keeps its own line with what to do about it.
      before.status !== 'failed' &&
      status !== 'failed'
    if (goesOn) before.last = false
    const row: Row = { key, author, text, at, first: !goesOn, last: true, newDay, newHere, status }
    newHere = false
    rows.push(row)
    if (author === 'visitor') {
      if (lastOwn?.status === 'sent') lastOwn.status = undefined
      lastOwn = row
    }
  }

  for (const line of greeting) add(line, 'bot', line, '')
  for (const { id, seq, author, text, createdAt } of messages) {
    if (author !== 'visitor' && seq > readUntil) {
      newHere = true
      readUntil = Infinity
    }
    add(id, author, text, createdAt, author === 'visitor' ? 'sent' : undefined)
  }
  for (const { id, text, createdAt, status } of pending) add(id, 'visitor', text, createdAt, status)
  if (replyId) add(replyId, 'bot', '', now)
  return rows
}
