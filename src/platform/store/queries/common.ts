import type { Message } from '../../../contract/index.ts'

/** The columns of the contact that a query joins to a conversation. The id is `null` for an anonymous visitor. */
export interface ContactColumns {
  contactId: string | null
  contactName: string
}

export const toContactSummary = ({ contactId, contactName }: ContactColumns): { id: string; name: string } | null =>
  contactId === null ? null : { id: contactId, name: contactName }

/** Whether a message counts as unread until the visitor has read it. */
export const countsAsUnread = ({
  author,
  event,
  removedAt,
}: Pick<Message, 'author' | 'event' | 'removedAt'>): boolean =>
  author !== 'visitor' && event === undefined && removedAt === undefined

/** The same in SQL, for a stored message. */
export const countsAsUnreadSql = "author <> 'visitor' AND event IS NULL AND removed_at IS NULL"

/** SQL for whether a session is open: at the time `now`, a parameter, it has neither ended nor expired. */
export const openSessionSql = (now: string): string => `ended_at IS NULL AND expires_at > ${now}`

/** SQL for whether a responder answers the visitors of the bot `b`, and not only people. `<>` with an absent value is NULL. */
export const hasResponderSql = "b.settings -> 'responder' ->> 'kind' IS DISTINCT FROM 'none'"

/** SQL for whether the bot `b` has an events webhook. */
export const hasWebhookSql = "b.settings ->> 'events' IS NOT NULL"

/** SQL for whether somebody is told of unread messages: a contact, or a visitor who has confirmed an address. */
export const isReachableSql = '(contact_id IS NOT NULL OR email_confirmed_at IS NOT NULL)'

/** SQL for whether the visitor of the conversation `v`, with its contact `c` if it has one, gets emails. */
export const getsEmailsSql = `CASE WHEN v.contact_id IS NULL THEN v.email_confirmed_at IS NOT NULL AND v.emails_ended IS NULL
  ELSE c.emails_ended IS NULL END`

/** Sorts after every time. A list with the latest first begins here. */
export const afterAllTimes = '~'

/** The time so many milliseconds before another one. */
export const timeBefore = (time: string, ms: number): string => new Date(Date.parse(time) - ms).toISOString()
