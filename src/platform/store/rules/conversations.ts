import type { Conversation, Message } from '../../../contract/index.ts'
import type { ConversationRow, Position } from '../records.ts'

/** The columns of the contact that a query joins to a conversation. The id is `null` for an anonymous visitor. */
export interface ContactColumns {
  contactId: string | null
  contactName: string
}

export const toContactSummary = ({ contactId, contactName }: ContactColumns): { id: string; name: string } | null =>
  contactId === null ? null : { id: contactId, name: contactName }

/** A conversation as its query finds it. */
export interface ConversationRecord extends Omit<ConversationRow, 'contact'>, ContactColumns {}

export const toConversationRow = ({ contactId, contactName, ...rest }: ConversationRecord): ConversationRow => ({
  ...rest,
  contact: toContactSummary({ contactId, contactName }),
})

/** The numbers of a position as one, which is larger if the conversation has advanced. */
export const sumOf = ({ lastSeq, readSeq, revision }: Position): number => lastSeq + readSeq + revision

/** A conversation as the query of a list finds it, beside the columns of its last message. */
export interface ListedRecord extends ContactColumns {
  conversationId: string
  lastSeq: number
  readSeq: number
  unread: number
  pausedUntil: string | null
  waitingSince: string | null
  begunAt: string
}

export function toConversation(record: ListedRecord, lastMessage: Message): Conversation {
  const { conversationId: id, lastSeq, readSeq, unread, pausedUntil, waitingSince, begunAt: createdAt } = record
  const contact = toContactSummary(record)
  return { id, contact, lastSeq, readSeq, unread, lastMessage, pausedUntil, waitingSince, createdAt }
}
