import type { BodyOf } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { DeskStore, MemberStore, OrganizationStore, SignedInMember } from '../store/store.ts'
import { conversationSubject, teamSubject } from './subjects.ts'
import { timestamp } from './time.ts'
import { requireVisibleConversation } from './visibleConversation.ts'

/** What a member shows the others while it is at the desk. Only its presence is stored. */
export type DeskPresence = ReturnType<typeof createDeskPresence>

export interface DeskPresenceOptions {
  store: MemberStore & DeskStore & OrganizationStore
  bus: Bus
  clock: Clock
}

export function createDeskPresence({ store, bus, clock }: DeskPresenceOptions) {
  return {
    async setPresence(member: SignedInMember, { presence }: BodyOf<'setPresence'>): Promise<void> {
      const isAway = presence === 'away'
      // The time at which it went away stays: after a while its conversations wait for somebody else.
      if (isAway && member.isAway) return
      await store.touchMember(member.id, { isAway, at: timestamp(clock.now()) })
    },

    /** Tells the team what the member looks at. */
    async setViewing(member: SignedInMember, { conversationId }: BodyOf<'setViewing'>): Promise<void> {
      const { id, name, organizationId, sessionHash } = member
      const found = conversationId === null ? null : await requireVisibleConversation(store, member, conversationId)
      const conversation = found && { id: found.conversation.id, botId: found.bot.id }
      const viewing = { sessionHash, member: { id, name }, conversation }
      bus.publish(teamSubject(organizationId), { type: 'viewing', viewing })
    },

    /** Tells the team and the visitor that the member writes a reply. */
    async showTyping(member: SignedInMember, conversationId: string): Promise<void> {
      const { id, name, organizationId } = member
      const { bot } = await requireVisibleConversation(store, member, conversationId)
      const typing = { conversationId, member: { id, name } }
      bus.publish(teamSubject(organizationId), { type: 'typing', botId: bot.id, typing })
      const streamEvent = { event: 'typing', data: { author: 'agent', sender: { name } } } as const
      bus.publish(conversationSubject(conversationId), { type: 'forward', streamEvent })
    },
  }
}
