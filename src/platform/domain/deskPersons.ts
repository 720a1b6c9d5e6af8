import type { AuditEvent } from '../../contract/desk.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type {
  AuditStore,
  ContactExport,
  ContactStore,
  ConversationStore,
  MemberRow,
  OrganizationStore,
  SessionStore,
} from '../store/store.ts'
import type { Contacts } from './contacts.ts'
import type { ContactTokens } from './contactTokens.ts'
import type { Desk } from './desk.ts'
import { actorOf } from './members.ts'
import { notFound } from './problem.ts'
import { publishSessionEnds } from './sessions.ts'
import { timestamp } from './time.ts'
import { requireVisibleConversation } from './visibleConversation.ts'

/** What members do with the visitors of the conversations that they see. The audit list has it before it is done. */
export type DeskPersons = ReturnType<typeof createDeskPersons>

export interface DeskPersonsOptions {
  store: Pick<AuditStore, 'recordAudit'> &
    Pick<ContactStore, 'exportContact'> &
    Pick<ConversationStore, 'findConversation'> &
    Pick<OrganizationStore, 'findBot'> &
    Pick<SessionStore, 'endGuestSession'>
  contacts: Pick<Contacts, 'delete' | 'deleteGuest'>
  contactTokens: Pick<ContactTokens, 'revokeAll'>
  desk: Pick<Desk, 'changeState'>
  bus: Bus
  clock: Clock
}

export function createDeskPersons({ store, contacts, contactTokens, desk, bus, clock }: DeskPersonsOptions) {
  /** Finds the visitor, and records what will be done. Throws `not_found` for a visitor of another kind. */
  async function begin(member: MemberRow, conversationId: string, event: AuditEvent, kind?: 'contact' | 'guest') {
    const { scope, contactId } = await requireVisibleConversation(store, member, conversationId)
    if (kind && kind !== (contactId === null ? 'guest' : 'contact')) throw notFound()
    const by = { organizationId: scope.organizationId, member: actorOf(member), createdAt: timestamp(clock.now()) }
    await store.recordAudit({ ...by, event, conversationId, contactId })
    return { scope, contactId: contactId ?? '' }
  }

  return {
    async signOutEverywhere(member: MemberRow, conversationId: string): Promise<void> {
      const { scope, contactId } = await begin(member, conversationId, 'signed_out_everywhere', 'contact')
      await contactTokens.revokeAll({ ...scope, contactId })
    },

    /** Everything that is stored about the contact, except its files. */
    async export(member: MemberRow, conversationId: string): Promise<ContactExport> {
      const { scope, contactId } = await begin(member, conversationId, 'exported', 'contact')
      const exported = await store.exportContact({ ...scope, contactId })
      if (!exported) throw notFound()
      return exported
    },

    /** Deletes the contact with its conversation, or the conversation of a guest. */
    async erase(member: MemberRow, conversationId: string): Promise<void> {
      const { scope, contactId } = await begin(member, conversationId, 'erased')
      if (contactId) await contacts.delete({ ...scope, contactId })
      else await contacts.deleteGuest(scope, conversationId)
    },

    /** Ends the session of a guest, whose browser is refused from then on, and closes the conversation. */
    async block(member: MemberRow, conversationId: string): Promise<void> {
      await begin(member, conversationId, 'blocked', 'guest')
      publishSessionEnds(bus, await store.endGuestSession(conversationId, 'blocked', timestamp(clock.now())))
      await desk.changeState(member, conversationId, 'closed')
    },
  }
}
