import type { Bus, BusEvent } from '../bus/bus.ts'
import type { StateChange } from '../store/store.ts'
import { conversationSubject, deskSubject } from './subjects.ts'

export interface AnnouncedConversation {
  botId: string
  conversationId: string
}

/**
 * Tells the desk that a conversation has changed. The `event` is for the conversation's own subject; without one, only the
 * desk shows the change.
 */
export function announce(bus: Bus, { botId, conversationId }: AnnouncedConversation, event?: BusEvent): void {
  if (event) bus.publish(conversationSubject(conversationId), event)
  bus.publish(deskSubject(botId), { type: 'conversation', conversationId })
}

/** Announces that somebody of the team has changed who answers. */
export const announceStatus = (bus: Bus, conversation: AnnouncedConversation, change: StateChange | 'claimed'): void =>
  announce(bus, conversation, statusEvents[change])

const statusEvents: Record<StateChange | 'claimed', BusEvent | undefined> = {
  // The visitor is told by a message.
  handed_back: { type: 'stored' },
  // A reply that is being written must not be shown after these.
  claimed: { type: 'taken_over' },
  closed: { type: 'taken_over' },
  reopened: undefined,
}
