import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { SavedReplyRow, Store } from '../../store/store.ts'
import { at, joinDesk, storeTests } from './storeTenants.ts'

export function describeSavedReplies(open: () => Promise<Store>): void {
  const it = storeTests(open)
    .extend('nora', ({ store, ours }) => joinDesk(store, ours.organizationId))
    .extend('omar', ({ store, ours }) => joinDesk(store, ours.organizationId, { name: 'Omar' }))
    .extend('eve', ({ store, otherOrganization }) => joinDesk(store, otherOrganization.organizationId))
    .extend('as', ({ ours, otherOrganization, eve }) => ({ id }: { id: string }, isAdmin = false) => ({
      organizationId: (id === eve.id ? otherOrganization : ours).organizationId,
      memberId: id,
      isAdmin,
    }))
    .extend(
      'row',
      ({ ours: { organizationId } }) =>
        (title: string, memberId: string | null): SavedReplyRow => ({
          id: randomUUID(),
          organizationId,
          memberId,
          title,
          text: 'Hello {{name}}',
          updatedAt: at(5),
        }),
    )

  it('a member has its own saved replies and the shared ones, by title', async ({
    store,
    nora,
    omar,
    eve,
    as,
    row,
  }) => {
    const [own, shared, others] = [row('b', nora.id), row('a', null), row('c', omar.id)]
    expect(await store.saveSavedReply(own, as(nora))).toBe(true)
    expect(await store.saveSavedReply(shared, as(omar, true))).toBe(true)
    expect(await store.saveSavedReply(others, as(omar))).toBe(true)
    expect(await store.listSavedReplies(as(nora))).toEqual([shared, own])
    expect(await store.listSavedReplies(as(eve))).toEqual([])
  })

  it('a saved reply is changed by its owner, a shared one by admins of the organization', async ({
    store,
    nora,
    omar,
    eve,
    as,
    row,
  }) => {
    const [own, shared] = [row('own', nora.id), row('shared', null)]
    await store.saveSavedReply(own, as(nora))
    await store.saveSavedReply(shared, as(nora, true))
    for (const writer of [as(omar), as(omar, true), as(eve, true)]) {
      expect(await store.saveSavedReply({ ...own, title: 'taken', memberId: writer.memberId }, writer)).toBe(false)
      expect(await store.deleteSavedReply(own.id, writer)).toBe(false)
    }
    for (const writer of [as(nora), as(eve, true)]) {
      expect(await store.saveSavedReply({ ...shared, title: 'taken' }, writer)).toBe(false)
      expect(await store.deleteSavedReply(shared.id, writer)).toBe(false)
    }
    const changed = { ...own, text: 'Bye' }
    expect(await store.saveSavedReply(changed, as(nora))).toBe(true)
    expect(await store.listSavedReplies(as(nora))).toEqual([changed, shared])
    expect(await store.deleteSavedReply(own.id, as(nora))).toBe(true)
    expect(await store.deleteSavedReply(shared.id, as(omar, true))).toBe(true)
    expect(await store.listSavedReplies(as(nora))).toEqual([])
  })

  it('the saved replies of a member go with it', async ({ store, nora, as, row }) => {
    await store.saveSavedReply(row('own', nora.id), as(nora))
    await store.removeMember(nora, null, { at: at(6), timeoutMs: 84_000 })
    expect(await store.listSavedReplies(as(nora))).toEqual([])
    expect(await store.saveSavedReply(row('late', nora.id), as(nora))).toBe(false)
  })
}
