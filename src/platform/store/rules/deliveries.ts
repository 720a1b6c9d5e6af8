import type { OutboxEvent } from '../records.ts'
import { type ContactColumns, toContactSummary } from './conversations.ts'

/** The data of an event about a conversation, as JSON. */
export function encodeEventData(
  conversationId: string,
  contact: ContactColumns,
  { type: _, ...data }: OutboxEvent,
): string {
  return JSON.stringify({ conversationId, contact: toContactSummary(contact), ...data })
}
