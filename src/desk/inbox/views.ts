import type { DeskConversation, DeskView } from '../../contract/desk.ts'

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

/** The order of the platform: who has waited longest comes first, elsewhere the latest message. */
export function compareIn(view: DeskView, one: DeskConversation, other: DeskConversation): number {
  const order =
    view === 'waiting'
      ? compareText(one.waitingSince ?? '', other.waitingSince ?? '')
      : compareText(other.lastMessageAt, one.lastMessageAt)
  return order || compareText(one.id, other.id)
}

const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
