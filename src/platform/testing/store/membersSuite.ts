import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { MemberRole } from '../../../contract/desk.ts'
import type { Actor, BotScope, InvitationRow, Store } from '../../store/store.ts'
import { at, joinDesk, newHash, newInvitation, storeTests } from './storeTenants.ts'

const newSession = () => ({ hash: newHash(), createdAt: at(5), expiresAt: at(1000) })
const newMember = (name = 'Nora', createdAt = at(5)) => ({ id: randomUUID(), name, passwordHash: 'a hash', createdAt })

const actor = { id: 'ada', name: 'Ada' }
const handover = { at: at(5), timeoutMs: 85_000 }

export function describeMembers(open: () => Promise<Store>): void {
  const it = storeTests(open)

  describe('acceptInvitation', () => {
    it('creates the member as the invitation says, with a session', async ({
      store,
      ours: { organizationId, botId },
    }) => {
      const invitation = newInvitation(organizationId, { email: `${randomUUID()}@Shop.example`, botIds: [botId] })
      await store.createInvitation('invited', invitation, null)
      expect(await store.findInvitation(invitation.hash, at(5))).toEqual({
        ...invitation,
        organization: 'Acme',
        name: null,
      })
      const [member, session] = [newMember(), newSession()]
      expect(await store.acceptInvitation(invitation.hash, member, session)).toBe('accepted')
      const { id, name, createdAt, passwordHash } = member
      const { email, emailKey } = invitation
      const row = {
        id,
        organizationId,
        name,
        email,
        role: 'agent',
        botIds: [botId],
        isAway: false,
        activeAt: null,
        createdAt,
      }
      expect(await store.findMemberByEmail(emailKey)).toEqual({ ...row, passwordHash })
      expect(await store.listMembers(organizationId)).toEqual([row])
      expect(await store.findMemberSession(session.hash, at(6))).toEqual({
        ...row,
        sessionHash: session.hash,
        sessionBegunAt: session.createdAt,
        organizationName: 'Acme',
      })
    })

    it('accepts an invitation once, also by two requests at the same time', async ({
      store,
      ours: { organizationId },
    }) => {
      const invitation = newInvitation(organizationId)
      await store.createInvitation('invited', invitation, null)
      const accept = () => store.acceptInvitation(invitation.hash, newMember(), newSession())
      const results = await Promise.all([accept(), accept(), accept()])
      expect(results.sort()).toEqual(['accepted', 'ended', 'ended'])
      expect(await store.findInvitation(invitation.hash, at(5))).toBeNull()
      expect(await store.listMembers(organizationId)).toHaveLength(1)
    })

    it('accepts none that has expired', async ({ store, ours: { organizationId } }) => {
      const invitation = newInvitation(organizationId, { expiresAt: at(10) })
      await store.createInvitation('invited', invitation, null)
      expect(await store.findInvitation(invitation.hash, at(9))).not.toBeNull()
      expect(await store.findInvitation(invitation.hash, at(10))).toBeNull()
      const session = newSession()
      expect(await store.acceptInvitation(invitation.hash, newMember('Nora', at(10)), session)).toBe('ended')
      expect(await store.listMembers(organizationId)).toEqual([])
      expect(await store.findMemberSession(session.hash, at(11))).toBeNull()
    })

    it('lets nobody join a second organization before leaving the first', async ({
      store,
      ours,
      otherOrganization,
    }) => {
      const nora = await joinDesk(store, ours.organizationId)
      const { email } = nora
      const invitation = newInvitation(otherOrganization.organizationId, { email })
      await store.createInvitation('invited', invitation, null)
      const session = newSession()
      const accept = () => store.acceptInvitation(invitation.hash, newMember(), session)
      expect(await accept()).toBe('email_taken')
      expect(await store.findMemberSession(session.hash, at(6))).toBeNull()
      expect(await store.findMemberByEmail(email)).toMatchObject({ organizationId: ours.organizationId })
      await store.removeMember(nora, null, handover)
      expect(await accept()).toBe('accepted')
    })
  })

  describe('createInvitation', () => {
    it('replaces the open one of the email, also if two admins invite at the same time', async ({ store, ours }) => {
      const { organizationId, botId } = ours
      const email = `${randomUUID()}@shop.example`
      const invite = async (overrides: Partial<InvitationRow>) => {
        const invitation = newInvitation(organizationId, { email, ...overrides })
        expect(await store.createInvitation('invited', invitation, null)).toBe('created')
        return invitation
      }
      const mistaken = await invite({ role: 'admin' })
      const invited = [await invite({ botIds: [botId] })]
      expect(await store.listInvitations(organizationId, at(5))).toEqual(invited)
      expect(await store.acceptInvitation(mistaken.hash, newMember(), newSession())).toBe('ended')
      invited.push(...(await Promise.all([invite({ createdAt: at(2) }), invite({ createdAt: at(3) })])))
      const left = await store.listInvitations(organizationId, at(5))
      expect(left).toHaveLength(1)
      expect(invited.slice(1)).toContainEqual(left[0])
    })

    it('is for nobody who has become a member or has left meanwhile', async ({ store, ours: { organizationId } }) => {
      const nora = await joinDesk(store, organizationId)
      const create = (event: 'invited' | 'password_link') =>
        store.createInvitation(event, newInvitation(organizationId, { email: nora.email }), null)
      expect([await create('invited'), await create('password_link')]).toEqual(['email_taken', 'created'])
      await store.removeMember(nora, null, handover)
      expect([await create('password_link'), await create('invited')]).toEqual(['not_found', 'created'])
    })

    it.for(['updateMember', 'removeMember'] as const)(
      'has no effect any more once its admin is none any more (%s)',
      async (change, { store, ours: { organizationId } }) => {
        const [ada, eve] = [
          await joinDesk(store, organizationId, { role: 'admin' }),
          await joinDesk(store, organizationId, { role: 'admin' }),
        ]
        const create = async (event: 'invited' | 'password_link', by: Actor | null, email?: string) => {
          const invitation = newInvitation(organizationId, email === undefined ? {} : { email })
          return { ...invitation, result: await store.createInvitation(event, invitation, by) }
        }
        const kept = [await create('invited', ada), await create('invited', null)]
        const ended = [await create('invited', eve), await create('password_link', eve, ada.email)]
        await store[change]({ ...eve, role: 'agent', botIds: null }, ada, handover)
        for (const { hash } of kept) expect(await store.findInvitation(hash, at(5))).not.toBeNull()
        for (const { hash } of ended) expect(await store.findInvitation(hash, at(5))).toBeNull()
        // A request that was under way.
        expect((await create('invited', eve)).result).toBe('not_found')
      },
    )
  })

  describe('an account at a provider', () => {
    const account = (subject: string, issuer = 'https://login.example') => ({ issuer, subject })

    it('is connected with a member for good, until the provider is another one', async ({ store, ours }) => {
      const { id } = await joinDesk(store, ours.organizationId)
      const connect = (subject: string, issuer?: string) => store.connectOidcAccount(id, account(subject, issuer))
      const outcomes = await Promise.all([connect('a'), connect('b')])
      expect(outcomes.sort()).toEqual([false, true])
      const winner = (await connect('a')) ? 'a' : 'b'
      expect(await connect(winner)).toBe(true)
      expect(await connect('c')).toBe(false)
      expect(await connect('c', 'https://other.example')).toBe(true)
      expect(await connect('d', 'https://other.example')).toBe(false)
      expect(await store.connectOidcAccount(randomUUID(), account('a'))).toBe(false)
    })

    it('takes the place of a password for whoever joins with it, by the newest open invitation', async ({
      store,
      ours,
      otherOrganization,
    }) => {
      const email = `${randomUUID()}@shop.example`
      const invite = async ({ organizationId }: BotScope, createdAt: string, expiresAt: string) => {
        const invitation = newInvitation(organizationId, { email, createdAt, expiresAt })
        await store.createInvitation('invited', invitation, null)
        return invitation.hash
      }
      const older = await invite(otherOrganization, at(1), at(100))
      const newest = await invite(ours, at(2), at(90))
      expect(await store.findInvitationByEmail(email, at(5))).toEqual({ hash: newest })
      expect(await store.findInvitationByEmail(email, at(90))).toEqual({ hash: older })
      expect(await store.findInvitationByEmail(`x${email}`, at(5))).toBeNull()
      const member = { ...newMember(), passwordHash: null, oidcAccount: account('a') }
      expect(await store.acceptInvitation(newest, member, newSession())).toBe('accepted')
      expect(await store.findMemberByEmail(email)).toMatchObject({ id: member.id, passwordHash: null })
      expect(await store.connectOidcAccount(member.id, account('b'))).toBe(false)
      expect(await store.connectOidcAccount(member.id, account('a'))).toBe(true)
    })
  })

  it('lists the members of one organization by name', async ({ store, ours, otherOrganization }) => {
    for (const name of ['Zoe', 'Ada']) await joinDesk(store, ours.organizationId, { name })
    await joinDesk(store, otherOrganization.organizationId, { name: 'Eve' })
    expect((await store.listMembers(ours.organizationId)).map(({ name }) => name)).toEqual(['Ada', 'Zoe'])
    expect(await store.findAnyMember(at(5))).toBe(true)
  })

  it('records that a member is at the desk', async ({ store, ours: { organizationId } }) => {
    const [ada, nora] = [await joinDesk(store, organizationId, { name: 'Ada' }), await joinDesk(store, organizationId)]
    await store.touchMember(nora.id, { isAway: true, at: at(7) })
    // Those who are away stay so, whatever their browser does.
    await store.touchMembers([nora.id, ada.id, randomUUID()], at(8))
    const [first, second] = await store.listMembers(organizationId)
    expect(first).toMatchObject({ id: ada.id, isAway: false, activeAt: at(8) })
    expect(second).toMatchObject({ id: nora.id, isAway: true, activeAt: at(7) })
    await store.touchMember(nora.id, { isAway: false, at: at(9) })
    await store.touchMembers([nora.id], at(10))
    expect(await store.listMembers(organizationId)).toMatchObject([{}, { isAway: false, activeAt: at(10) }])
  })

  describe('sessions', () => {
    it('are open until they expire or end', async ({ store, ours }) => {
      const { id, session } = await joinDesk(store, ours.organizationId)
      const second = { ...newSession(), memberId: id }
      await store.createMemberSession(second, 'a hash')
      const hashes = [session.hash, second.hash, newHash()]
      expect(await store.findEndedMemberSessions(hashes, at(999))).toEqual([hashes[2]])
      await store.extendMemberSession(session.hash, at(2000))
      expect(await store.findMemberSession(session.hash, at(1999))).not.toBeNull()
      expect(await store.findMemberSession(session.hash, at(2000))).toBeNull()
      expect(await store.findMemberSession(second.hash, at(1000))).toBeNull()
      expect(await store.findEndedMemberSessions(hashes, at(1000))).toEqual(hashes.slice(1))
      const list = async () => (await store.listMemberSessions(id, at(999))).map(({ hash }) => hash)
      expect(await list()).toEqual([second.hash, session.hash])
      await store.endMemberSession(session.hash, { actor, at: at(5) })
      const [entry] = await store.listAudit(ours.organizationId, { limit: 1 })
      expect(entry).toMatchObject({ event: 'session_ended', member: actor, about: 'Nora' })
      expect(await list()).toEqual([second.hash])
      expect(await store.findMemberSession(session.hash, at(5))).toBeNull()
      expect(await store.findMemberSession(second.hash, at(5))).not.toBeNull()
    })

    it('do not begin with a password that was replaced meanwhile', async ({ store, ours: { organizationId } }) => {
      const { id, email } = await joinDesk(store, organizationId)
      const link = newInvitation(organizationId, { email })
      await store.createInvitation('password_link', link, null)
      await store.acceptInvitation(link.hash, { ...newMember(), passwordHash: 'a new hash' }, newSession())
      for (const [passwordHash, opens] of [
        ['a hash', false],
        ['a new hash', true],
      ] as const) {
        const session = { ...newSession(), memberId: id }
        await store.createMemberSession(session, passwordHash)
        expect((await store.findMemberSession(session.hash, at(6))) !== null).toBe(opens)
      }
    })

    it('are purged after their expiry, and so are invitations', async ({ store, ours: { organizationId } }) => {
      const { session } = await joinDesk(store, organizationId)
      const [gone, open] = [newInvitation(organizationId), newInvitation(organizationId, { expiresAt: at(2000) })]
      for (const invitation of [gone, open]) await store.createInvitation('invited', invitation, null)
      await store.purge({ now: at(1000), endedBefore: at(0) })
      // The earlier time finds what is still stored.
      expect(await store.findMemberSession(session.hash, at(5))).toBeNull()
      expect(await store.findInvitation(gone.hash, at(5))).toBeNull()
      expect(await store.findInvitation(open.hash, at(5))).not.toBeNull()
      expect(await store.listMembers(organizationId)).toHaveLength(1)
    })
  })

  it('lists the open invitations of one organization until they are withdrawn', async ({
    store,
    ours,
    otherOrganization,
  }) => {
    const { organizationId } = ours
    const [first, expired] = [newInvitation(organizationId), newInvitation(organizationId, { expiresAt: at(5) })]
    const second = newInvitation(organizationId, { createdAt: at(2), botIds: [ours.botId] })
    const foreign = newInvitation(otherOrganization.organizationId)
    for (const invitation of [first, expired, second, foreign])
      await store.createInvitation('invited', invitation, null)
    expect(await store.listInvitations(organizationId, at(5))).toEqual([second, first])
    const withdraw = ({ hash }: typeof first) => store.deleteInvitation(organizationId, hash, actor, at(5))
    const outcomes = await Promise.all([first, first, expired, foreign].map(withdraw))
    expect(outcomes.sort()).toEqual(['deleted', ...Array(3).fill('not_found')])
    expect(await store.listInvitations(organizationId, at(5))).toEqual([second])
    expect(await store.findInvitation(foreign.hash, at(5))).not.toBeNull()
    const [entry, ...others] = await store.listAudit(organizationId, { limit: 9 })
    expect(entry).toMatchObject({ event: 'invitation_withdrawn', member: actor, about: first.email })
    expect(others.map(({ event, about }) => [event, about])).toContainEqual(['invited', first.email])
  })

  describe('updateMember', () => {
    it('changes what the member may do, and ends its sessions', async ({ store, ours, otherOrganization }) => {
      const { organizationId, botId } = ours
      const [nora, ada] = [await joinDesk(store, organizationId), await joinDesk(store, organizationId)]
      const update = (rights: { role: MemberRole; botIds: string[] | null }, organization = organizationId) =>
        store.updateMember({ organizationId: organization, id: nora.id, ...rights }, actor, handover)
      const find = async () => (await store.listMembers(organizationId)).find(({ id }) => id === nora.id)
      expect(await update({ role: 'admin', botIds: null }, otherOrganization.organizationId)).toBe('not_found')
      // It may do all that already.
      expect(await update({ role: 'agent', botIds: null })).toBe('updated')
      expect(await store.findMemberSession(nora.session.hash, at(5))).not.toBeNull()
      expect(await update({ role: 'agent', botIds: [botId] })).toBe('updated')
      expect(await find()).toMatchObject({ role: 'agent', botIds: [botId] })
      expect(await store.findMemberSession(nora.session.hash, at(5))).toBeNull()
      expect(await store.findMemberSession(ada.session.hash, at(5))).not.toBeNull()
      const changes = (await store.listAudit(organizationId, { limit: 9 })).filter(
        ({ event }) => event === 'member_changed',
      )
      expect(changes).toMatchObject([{ member: actor, about: 'Nora', createdAt: handover.at }])
    })
  })

  it('the last admin stays one, also if two admins remove each other at the same time', async ({ store, ours }) => {
    const { organizationId } = ours
    const admins = [
      await joinDesk(store, organizationId, { role: 'admin' }),
      await joinDesk(store, organizationId, { role: 'admin' }),
    ]
    await joinDesk(store, organizationId)
    const results = await Promise.all(admins.map(admin => store.removeMember(admin, actor, handover)))
    expect(results.sort()).toEqual(['last_admin', 'removed'])
    const last = (await store.listMembers(organizationId)).find(({ role }) => role === 'admin')
    if (!last) throw new Error('There is no admin any more')
    expect(await store.updateMember({ ...last, role: 'agent' }, actor, handover)).toBe('last_admin')
    // With the command line another one can be invited.
    expect(await store.removeMember(last, null, handover)).toBe('removed')
  })

  describe('removeMember', () => {
    it('ends all sessions of the member, and those of nobody else', async ({ store, ours: { organizationId } }) => {
      const [nora, ada] = [await joinDesk(store, organizationId), await joinDesk(store, organizationId)]
      const second = { ...newSession(), memberId: nora.id }
      await store.createMemberSession(second, 'a hash')
      // Again does nothing.
      for (let times = 0; times < 2; times++) await store.removeMember(nora, null, { at: at(5), timeoutMs: 85_000 })
      const hashes = [nora, ada].map(({ session }) => session.hash)
      expect(await store.findEndedMemberSessions([...hashes, second.hash], at(5))).toEqual([hashes[0], second.hash])
      expect((await store.listMembers(organizationId)).map(({ id }) => id)).toEqual([ada.id])
      const removals = (await store.listAudit(organizationId, { limit: 9 })).filter(
        ({ event }) => event === 'member_removed',
      )
      expect(removals).toMatchObject([{ member: null, about: 'Nora' }])
    })

    it('leaves no invitation with which the member could return', async ({ store, ours: { organizationId } }) => {
      const nora = await joinDesk(store, organizationId)
      const [forNora, other] = [newInvitation(organizationId, { email: nora.email }), newInvitation(organizationId)]
      await store.createInvitation('password_link', forNora, null)
      await store.createInvitation('invited', other, null)
      await store.removeMember(nora, null, { at: at(5), timeoutMs: 85_000 })
      expect(await store.findInvitation(forNora.hash, at(5))).toBeNull()
      expect(await store.findInvitation(other.hash, at(5))).not.toBeNull()
    })
  })
}
