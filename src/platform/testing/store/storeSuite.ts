import { describe, expect, it } from 'vitest'
import { type Store, StoreUnavailableError } from '../../store/store.ts'
import { describeAttachments } from './attachmentsSuite.ts'
import { describeAudit } from './auditSuite.ts'
import { describeContacts } from './contactsSuite.ts'
import { describeContext } from './contextSuite.ts'
import { describeConversations } from './conversationsSuite.ts'
import { describeDeliveries } from './deliveriesSuite.ts'
import { describeDeskSearch } from './deskSearchSuite.ts'
import { describeDesk } from './deskSuite.ts'
import { describeHandovers } from './handoversSuite.ts'
import { describeIdempotency } from './idempotencySuite.ts'
import { describeListing } from './listingSuite.ts'
import { describeMembers } from './membersSuite.ts'
import { describeMessageChanges } from './messageChangesSuite.ts'
import { describeNumbers } from './numbersSuite.ts'
import { describeOrganizations } from './organizationsSuite.ts'
import { describePurge } from './purgeSuite.ts'
import { describeSavedReplies } from './savedRepliesSuite.ts'
import { describeSearch } from './searchSuite.ts'
import { describeSessions } from './sessionsSuite.ts'
import { describeStopTurn } from './stopTurnSuite.ts'
import { at, createTestTenants } from './storeTenants.ts'
import { describeTeamConversations } from './teamConversationsSuite.ts'
import { describeTurns } from './turnsSuite.ts'
import { describeUnread } from './unreadSuite.ts'
import { describeVisitorEmails } from './visitorEmailsSuite.ts'

const parts = {
  organizations: describeOrganizations,
  contacts: describeContacts,
  search: describeSearch,
  listing: describeListing,
  sessions: describeSessions,
  members: describeMembers,
  audit: describeAudit,
  conversations: describeConversations,
  context: describeContext,
  teamConversations: describeTeamConversations,
  messageChanges: describeMessageChanges,
  handovers: describeHandovers,
  desk: describeDesk,
  deskSearch: describeDeskSearch,
  savedReplies: describeSavedReplies,
  numbers: describeNumbers,
  attachments: describeAttachments,
  turns: describeTurns,
  stopTurn: describeStopTurn,
  deliveries: describeDeliveries,
  unread: describeUnread,
  visitorEmails: describeVisitorEmails,
  idempotency: describeIdempotency,
  purge: describePurge,
}

/** Behaviour that every store must have. `open` resolves to an empty one. */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    for (const [part, describePart] of Object.entries(parts)) describe(part, () => describePart(open))

    it('rejects every call after it is closed', async () => {
      const store = await open()
      const { ours } = await createTestTenants(store)
      await store.ping()
      const pending = store.createOrganization({ id: 'late', name: 'Late', createdAt: '' })
      await store.close()
      await expect(pending).resolves.toBeUndefined()
      const all = { words: [], page: 1, limit: 1 }
      await expect(store.findBot(ours.botId)).rejects.toThrow(StoreUnavailableError)
      await expect(store.searchContacts(ours, all)).rejects.toThrow(StoreUnavailableError)
      await expect(store.purge({ now: at(0), endedBefore: at(0) })).rejects.toThrow(StoreUnavailableError)
      await expect(store.ping()).rejects.toThrow(StoreUnavailableError)
    })
  })
}
