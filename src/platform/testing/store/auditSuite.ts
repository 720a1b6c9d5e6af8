import { describe, expect } from 'vitest'
import type { Store } from '../../store/store.ts'
import { at, storeTests } from './storeTenants.ts'

const day = 24 * 60 * 60
const member = { id: 'nora', name: 'Nora' }

export function describeAudit(open: () => Promise<Store>): void {
  const it = storeTests(open)

  describe('the audit list', () => {
    it('has the entries of one organization, newest first, in pages', async ({ store, ours, otherOrganization }) => {
      const { organizationId } = ours
      for (const seconds of [1, 3, 2])
        await store.recordAudit({ organizationId, event: 'signed_in', member, createdAt: at(seconds) })
      const foreign = { organizationId: otherOrganization.organizationId, event: 'signed_in', member: null } as const
      await store.recordAudit({ ...foreign, createdAt: at(4) })
      const page = await store.listAudit(organizationId, { limit: 2 })
      expect(page.map(({ createdAt }) => createdAt)).toEqual([at(3), at(2)])
      const last = page.at(-1)
      const after = { at: last?.createdAt ?? '', id: last?.id ?? '' }
      expect(await store.listAudit(organizationId, { after, limit: 2 })).toEqual([
        {
          ...{ id: expect.any(String), event: 'signed_in', member, about: null },
          ...{ conversationId: null, contactId: null, contactName: null, createdAt: at(1) },
        },
      ])
      expect(await store.listAudit(otherOrganization.organizationId, { limit: 2 })).toMatchObject([{ member: null }])
    })

    it('names a contact until it is erased', async ({ store, ours, ada, visitor }) => {
      const { organizationId } = ours
      await visitor.send()
      await ada.send()
      const { id: contactId, name } = ada.contact
      const entries = [
        { conversationId: visitor.conversationId, contactId: null, contactName: null },
        { conversationId: ada.conversationId, contactId, contactName: name },
        { conversationId: null, contactId, contactName: name },
      ]
      for (const [index, { conversationId }] of entries.entries())
        await store.recordAudit({
          ...{ organizationId, event: 'exported', member, createdAt: at(9 - index) },
          ...(conversationId === null ? { contactId } : { conversationId }),
        })
      expect(await store.listAudit(organizationId, { limit: 9 })).toMatchObject(entries)
      await store.deleteContact(ada.scope, at(9))
      expect(await store.listAudit(organizationId, { limit: 9 })).toMatchObject([
        entries[0],
        { ...entries[1], contactId: null, contactName: null },
        { ...entries[2], contactName: null },
      ])
    })

    it('is kept for 180 days', async ({ store, ours: { organizationId } }) => {
      for (const createdAt of [at(0), at(1)])
        await store.recordAudit({ organizationId, event: 'signed_in', member, createdAt })
      await store.purge({ now: at(180 * day + 1), endedBefore: at(0) })
      expect(await store.listAudit(organizationId, { limit: 9 })).toMatchObject([{ createdAt: at(1) }])
    })
  })

  it('findConversationRead finds what the member has read since', async ({ store, ours: { organizationId } }) => {
    const entry = { organizationId, member, conversationId: 'v', createdAt: at(5) }
    await store.recordAudit({ ...entry, event: 'message_removed' })
    const find = (memberId: string, since: number) => store.findConversationRead(memberId, 'v', at(since))
    expect(await find('nora', 4)).toBe(false)
    await store.recordAudit({ ...entry, event: 'conversation_read' })
    expect([await find('nora', 4), await find('nora', 5), await find('ada', 4)]).toEqual([true, false, false])
  })
}
