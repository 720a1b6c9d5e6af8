import type { Bus, BusEvent } from '../bus/bus.ts'
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
