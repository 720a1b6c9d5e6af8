import type { DatabaseSync } from 'node:sqlite'
import type { Message } from '../../../contract/index.ts'
import type { NewMessage } from '../store.ts'

const columns = ['id', 'seq', 'author', 'text', 'format', 'quick_replies AS quickReplies', 'created_at AS createdAt']

/** The columns that `toMessage` takes. */
export const messageColumns = columns.join(', ')

export function toMessage({ quickReplies, ...row }: Record<string, unknown>): Message {
  const message = row as unknown as Message
  return typeof quickReplies === 'string' ? { ...message, quickReplies: JSON.parse(quickReplies) as string[] } : message
}

/** The one place that gives a message its seq; whoever calls it is in the writer's transaction. */
export function messageAppender(db: DatabaseSync): (conversationId: string, message: NewMessage) => Message {
  const next = db.prepare(
    `UPDATE conversations SET last_seq = last_seq + 1, last_message_at = ?, unread = unread + (? <> 'visitor')
     WHERE id = ? RETURNING last_seq AS seq`,
  )
  const insert = db.prepare(
    `INSERT INTO messages (conversation_id, seq, id, author, text, format, quick_replies, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (conversationId, { id, author, text, format, quickReplies, createdAt }) => {
    const seq = next.get(createdAt, author, conversationId)?.['seq'] as number
    const replies = quickReplies ? JSON.stringify(quickReplies) : null
    insert.run(conversationId, seq, id, author, text, format, replies, createdAt)
    return { id, seq, author, text, format, ...(quickReplies ? { quickReplies } : {}), createdAt }
  }
}

/** Stores a message whose sender may send it twice. */
export function sentMessageAppender(
  db: DatabaseSync,
): (conversationId: string, message: NewMessage) => { message: Message; repeated: boolean } | 'reused' {
  const append = messageAppender(db)
  const standing = db.prepare(`SELECT ${messageColumns} FROM messages WHERE conversation_id = ? AND id = ?`)
  return (conversationId, message) => {
    const row = standing.get(conversationId, message.id)
    if (!row) return { message: append(conversationId, message), repeated: false }
    const isSame = (['text', 'author', 'format'] as const).every(field => row[field] === message[field])
    return isSame ? { message: toMessage(row), repeated: true } : 'reused'
  }
}
