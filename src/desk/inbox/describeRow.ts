import type { DeskConversation, Excerpt, MemberSummary } from '../../contract/desk.ts'
import { toPlainText } from '../../widget/notifications/toPlainText.ts'
import { type Format, interpolate } from '../i18n/format.ts'
import type { Strings } from '../i18n/locales/en.ts'

/** The texts of a row of the list. */
export interface RowTexts {
  name: string
  /** The last message in one line, or the line that a search has found. */
  preview: string
  /** What else somebody has to know; mostly nothing. */
  state: string | null
  isOverdue: boolean
  /** The whole row, as it is read aloud. */
  label: string
}

export interface RowContext {
  strings: Strings
  format: Format
  me: MemberSummary
  now: number
  excerpt?: Excerpt | undefined
}

/** Somebody who has waited for so long waits too long. */
const overdueMs = 10 * 60_000

export function describeRow(
  conversation: DeskConversation,
  { strings, format, me, now, excerpt }: RowContext,
): RowTexts {
  const texts = strings.inbox
  const { contact, waitingSince, lastMessage, unseen, assignee, pausedUntil, state } = conversation
  const name = contact?.name || texts.guest
  const preview = excerpt ? Object.values(excerpt).join('') : describeMessage(lastMessage, me, texts)
  const waitedMs = state === 'waiting' && waitingSince ? Math.max(0, now - Date.parse(waitingSince)) : null
  const isOverdue = waitedMs !== null && waitedMs >= overdueMs

  const describeState = (): string | null => {
    if (waitedMs !== null) {
      // A handover pauses the responder.
      const text = isOverdue ? texts.overdue : pausedUntil ? texts.asked : texts.waiting
      return interpolate(text, { duration: format.duration(waitedMs, 'short') })
    }
    if (assignee && assignee.id !== me.id) return assignee.name
    return state !== 'closed' && pausedUntil && Date.parse(pausedUntil) > now ? texts.server : null
  }
  const read = [
    name,
    waitedMs !== null && interpolate(texts.readWaiting, { duration: format.duration(waitedMs, 'long') }),
    unseen > 0 && format.count(texts.readUnread, unseen),
    waitedMs === null && describeState(),
    preview,
  ]
  return { name, preview, state: describeState(), isOverdue, label: read.filter(Boolean).join(', ') }
}

function describeMessage(message: DeskConversation['lastMessage'], me: MemberSummary, texts: Strings['inbox']): string {
  const { author, sender, event, removedAt, memberId } = message
  if (event) return texts.events[event as keyof typeof texts.events] ?? ''
  const text = removedAt ? texts.removed : toPlainText(message)
  if (author === 'visitor') return text
  if (author === 'bot') return interpolate(texts.fromBot, { text })
  if (memberId === me.id) return interpolate(texts.fromYou, { text })
  return sender ? interpolate(texts.fromName, { name: sender.name, text }) : interpolate(texts.fromTeam, { text })
}
