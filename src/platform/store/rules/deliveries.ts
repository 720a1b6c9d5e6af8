import { maxFutureTime } from '../maxFutureTime.ts'
import type { OutboxEvent } from '../records.ts'
import { type ContactColumns, toContactSummary } from './conversations.ts'

const longestPostponementMs = 2 * 60 * 60_000

/** The latest time at which a delivery can be due. One that is due later was written before the clock was set back. */
export const latestDueTime = (now: string): string => maxFutureTime(now, longestPostponementMs)

/** SQL for whether a delivery is due; `now` and `latest`, for `latestDueTime`, are parameters. */
export const dueDeliverySql = (now: string, latest: string): string => `(due_at <= ${now} OR due_at > ${latest})`

/** The data of an event about a conversation, as JSON. */
export function encodeEventData(
  conversationId: string,
  contact: ContactColumns,
  { type: _, ...data }: OutboxEvent,
): string {
  return JSON.stringify({ conversationId, contact: toContactSummary(contact), ...data })
}
