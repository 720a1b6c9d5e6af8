import type { BodyOf } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import type { ConversationStore, MemberRow, OrganizationStore } from '../store/store.ts'
import { conversationSubject, teamSubject } from './subjects.ts'
import { requireVisibleConversation } from './visibleConversation.ts'

/** What a member shows the others while it is at the desk. Nothing of it is stored. */
export type DeskPresence = ReturnType<typeof createDeskPresence>

export interface DeskPresenceOptions {
  store: Pick<ConversationStore, 'findConversation'> & Pick<OrganizationStore, 'findBot'>
  bus: Bus
}

/** Identifies a page of a member among those of all others. */
export const viewerOf = ({ id }: Pick<MemberRow, 'id'>, page: string): string => `${id} ${page}`

export function createDeskPresence({ store, bus }: DeskPresenceOptions) {
  const placeOf = async (member: MemberRow, id: string) => {
    const { scope } = await requireVisibleConversation(store, member, id)
    return { id, botId: scope.botId }
  }

  return {
    /** Tells the team what the member looks at. */
    async setViewing(member: MemberRow, { page, conversationId }: BodyOf<'setViewing'>): Promise<void> {
      const { id, name, organizationId } = member
      const conversation = conversationId === null ? null : await placeOf(member, conversationId)
      const viewing = { viewer: viewerOf(member, page), member: { id, name }, conversation }
      bus.publish(teamSubject(organizationId), { type: 'viewing', viewing })
    },

    /** Tells the team and the visitor that the member writes a reply. */
    async showTyping(member: MemberRow, conversationId: string): Promise<void> {
      const { id, name, organizationId } = member
      const { botId } = await placeOf(member, conversationId)
      const typing = { conversationId, member: { id, name } }
      bus.publish(teamSubject(organizationId), { type: 'typing', botId, typing })
      const streamEvent = { event: 'typing', data: { author: 'agent', sender: { name } } } as const
      bus.publish(conversationSubject(conversationId), { type: 'forward', streamEvent })
    },
  }
}
