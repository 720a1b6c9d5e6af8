import type { DeskConversation, DeskView } from '../../contract/desk.ts'
import type { Filters } from '../router.ts'

/** The views that the rail of the inbox shows, in its order. */
export const shownViews = ['waiting', 'mine', 'unassigned', 'bot', 'closed'] as const satisfies DeskView[]

/** Whether the conversation is in the view, as the platform lists it. */
export function isInView({ state, assignee }: DeskConversation, view: DeskView, memberId: string): boolean {
  switch (view) {
    case 'mine':
      return assignee?.id === memberId
    case 'unassigned':
      return assignee === null && (state === 'waiting' || state === 'open')
    case 'all':
      return true
    default:
      return state === view
  }
}

const dayMs = 24 * 60 * 60_000

/** Whether the filters let the conversation through, as the platform does; but for a search, which only the platform can do. */
export function passesFilters(conversation: DeskConversation, { state, owner, bot, days }: Filters): boolean {
  const { assignee, botId, lastMessageAt } = conversation
  return (
    (!state || conversation.state === state) &&
    (!owner || (owner === 'nobody' ? isInView(conversation, 'unassigned', '') : assignee?.id === owner)) &&
    (!bot || botId === bot) &&
    (!days || Date.parse(lastMessageAt) >= Date.now() - Number(days) * dayMs)
  )
}

/** The order of the platform: who has waited longest comes first, elsewhere the latest message. */
export function compareIn(view: DeskView, one: DeskConversation, other: DeskConversation): number {
  const order =
    view === 'waiting'
      ? compareText(one.waitingSince ?? '', other.waitingSince ?? '')
      : compareText(other.lastMessageAt, one.lastMessageAt)
  return order || compareText(one.id, other.id)
}

const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
