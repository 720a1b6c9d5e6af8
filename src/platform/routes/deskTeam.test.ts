import { beforeEach, describe, expect, it } from 'vitest'
import type { AuditEntry, AuditPage, DeskConversation, MemberSession, Team } from '../../contract/desk.ts'
import { deskEndpoints } from '../../contract/endpoints/desk.ts'
import type { Route } from '../../contract/index.ts'
import { issueInvitation } from '../domain/members.ts'
import { hashToken } from '../domain/tokens.ts'
import { sweepMs } from '../platform.ts'
import { createMember, deskCalls, type TestMember } from '../testing/createMember.ts'
import {
  advanceUntil,
  createTestTenants,
  dataOf,
  outcomeOf,
  readDeskEvents,
  type TestTenants,
} from '../testing/testTenants.ts'

let tenants: TestTenants
let admin: TestMember
beforeEach(async () => {
  tenants = await createTestTenants()
  admin = await createMember(tenants, { role: 'admin', name: 'Ada' })
})

const adminRows = Object.entries(deskEndpoints as Record<string, Route>).filter(([, { auth }]) => auth === 'admin')

it.each(adminRows)('%s is for admins alone: for an agent there is no such path', async (_, { method, path }) => {
  const below = path.replace('/desk/api', '').replace(/\{\w+\}/g, admin.id)
  const call = (call: TestMember['call']) => outcomeOf(call(method, below, method === 'GET' ? {} : { json: {} }))
  expect(await call(deskCalls(tenants.platform))).toBe('401 unauthorized')
  expect(await call((await createMember(tenants)).call)).toBe('404 not_found')
})

describe('the team', () => {
  const retrieve = () => dataOf<Team>(admin.call('GET', '/team'))
  const update = (id: string, json: object) => outcomeOf(admin.call('PUT', `/team/members/${id}`, { json }))
  const remove = (id: string) => outcomeOf(admin.call('DELETE', `/team/members/${id}`))
  const audited = async () => {
    const entries = await dataOf<AuditEntry[]>(admin.call('GET', '/audit'))
    return entries.map(({ event, about }) => [event, about])
  }

  it('has its members and open invitations, which can be accepted or withdrawn', async () => {
    const { bot } = tenants.ours
    const invite = (json: object) => admin.call('POST', '/team/invitations', { json: { role: 'agent', ...json } })
    const { token } = await dataOf<{ token: string }>(invite({ email: 'nora@shop.example', botIds: [bot.id] }))
    expect(await outcomeOf(invite({ email: 'omar@shop.example', botIds: [] }))).toBe('400 invalid_request')
    expect(await outcomeOf(invite({ email: admin.email, botIds: null }))).toBe('400 invalid_request')
    const accept = { token, name: 'Nora', password: 'correct horse battery' }
    tenants.clock.advance(1)
    expect(await retrieve()).toMatchObject({
      members: [{ id: admin.id, name: 'Ada', role: 'admin', botIds: null, isOnline: false, activeAt: null }],
      invitations: [{ email: 'nora@shop.example', role: 'agent', botIds: [bot.id] }],
    })
    await deskCalls(tenants.platform)('POST', '/invitations/accept', { json: accept })
    await dataOf(invite({ email: 'omar@shop.example', botIds: null }))
    await admin.call('PUT', '/presence', { json: { presence: 'online' } })
    const { members, invitations } = await retrieve()
    expect(members).toMatchObject([{ isOnline: true }, { name: 'Nora', isOnline: false }])
    const withdraw = () => outcomeOf(admin.call('DELETE', `/team/invitations/${invitations[0]?.id}`))
    expect([await withdraw(), await withdraw()]).toEqual(['204', '404 not_found'])
    expect((await retrieve()).invitations).toEqual([])
  })

  it('gets and loses rights at once, with the sessions', async () => {
    const nora = await createMember(tenants)
    const events = readDeskEvents(await nora.call('GET', '/events'))
    const rights = { role: 'agent', botIds: [tenants.sibling.bot.id] }
    expect(await update(nora.id, { ...rights, botIds: [tenants.otherOrganization.bot.id] })).toBe('400 invalid_request')
    expect(await update(nora.id, rights)).toBe('204')
    expect(await outcomeOf(nora.call('GET', '/session'))).toBe('401 unauthorized')
    await advanceUntil(tenants.clock, sweepMs, events.nextOf('session.ended'))
    expect((await retrieve()).members[1]).toMatchObject(rights)
    expect(await remove(nora.id)).toBe('204')
    expect((await retrieve()).members).toMatchObject([{ id: admin.id }])
    const changes = ['member_changed', 'member_removed'].map(event => [event, 'Nora'])
    expect(await audited()).toEqual(expect.arrayContaining(changes))
  })

  it('keeps an admin', async () => {
    expect(await remove(admin.id)).toBe('409 last_admin')
    expect(await update(admin.id, { role: 'agent', botIds: null })).toBe('409 last_admin')
    const nora = await createMember(tenants, { role: 'admin' })
    expect(await outcomeOf(nora.call('DELETE', `/team/members/${admin.id}`))).toBe('204')
    expect(await outcomeOf(admin.call('GET', '/team'))).toBe('401 unauthorized')
  })

  it('has sessions, which an admin ends', async () => {
    const nora = await createMember(tenants)
    const sessionsOf = ({ id }: TestMember) =>
      dataOf<MemberSession[]>(admin.call('GET', `/team/members/${id}/sessions`))
    expect(await sessionsOf(admin)).toMatchObject([{ isCurrent: true }])
    const begun = new Date(tenants.clock.now()).toISOString()
    tenants.clock.advance(60_000)
    await nora.call('PUT', '/presence', { json: { presence: 'online' } })
    const [session] = await sessionsOf(nora)
    const activeAt = new Date(tenants.clock.now()).toISOString()
    expect(session).toMatchObject({ createdAt: begun, activeAt, isCurrent: false })
    const end = (member: TestMember) =>
      outcomeOf(admin.call('DELETE', `/team/members/${member.id}/sessions/${session?.id}`))
    // It is not a session of this member.
    expect(await end(admin)).toBe('404 not_found')
    expect([await end(nora), await end(nora)]).toEqual(['204', '404 not_found'])
    expect(await outcomeOf(nora.call('GET', '/session'))).toBe('401 unauthorized')
    expect((await audited())[0]).toEqual(['session_ended', 'Nora'])
  })

  it('gets a link for a new password, which ends the sessions and changes no rights', async () => {
    const nora = await createMember(tenants, { botIds: [tenants.ours.bot.id] })
    const anybody = deskCalls(tenants.platform)
    const events = readDeskEvents(await nora.call('GET', '/events'))
    const create = () => dataOf<{ token: string }>(admin.call('POST', `/team/members/${nora.id}/password-link`))
    const [older, { token }] = [await create(), await create()]
    expect((await audited()).filter(([event]) => event === 'password_link')).toEqual(
      Array(2).fill(['password_link', nora.email]),
    )
    expect(await dataOf(anybody('POST', '/invitations/look', { json: { token } }))).toMatchObject({
      ...{ email: nora.email, name: 'Nora', organization: 'Acme' },
    })
    expect(await outcomeOf(nora.call('GET', '/session'))).toBe('200')
    const password = 'a horse with a new battery'
    await dataOf(anybody('POST', '/invitations/accept', { json: { token, name: 'Nora B.', password } }))
    expect(await outcomeOf(nora.call('GET', '/session'))).toBe('401 unauthorized')
    await advanceUntil(tenants.clock, sweepMs, events.nextOf('session.ended'))
    const { members, invitations } = await retrieve()
    expect(members[1]).toMatchObject({ id: nora.id, name: 'Nora B.', role: 'agent', botIds: [tenants.ours.bot.id] })
    expect(invitations).toEqual([])
    for (const link of [older.token, token])
      expect(await outcomeOf(anybody('POST', '/invitations/look', { json: { token: link } }))).toBe('404 not_found')
    expect(await outcomeOf(anybody('POST', '/session', { json: { email: nora.email, password } }))).toBe('200')
  })

  it('of another organization is the one 404', async () => {
    const { organizationId } = tenants.otherOrganization.bot
    const foreign = await createMember(tenants, { organizationId })
    const invitation = { organizationId, email: 'omar@shop.example', role: 'agent', botIds: null } as const
    const token = await issueInvitation(tenants.store, invitation, tenants.clock)
    for (const id of [foreign.id, 'x', '%00']) {
      expect(await remove(id)).toBe('404 not_found')
      expect(await update(id, { role: 'agent', botIds: null })).toBe('404 not_found')
      expect(await outcomeOf(admin.call('GET', `/team/members/${id}/sessions`))).toBe('404 not_found')
      expect(await outcomeOf(admin.call('POST', `/team/members/${id}/password-link`))).toBe('404 not_found')
      const session = `/team/members/${id}/sessions/${hashToken(foreign.cookie.split('=')[1] ?? '')}`
      expect(await outcomeOf(admin.call('DELETE', session))).toBe('404 not_found')
    }
    for (const id of [hashToken(token), 'x', '%00'])
      expect(await outcomeOf(admin.call('DELETE', `/team/invitations/${id}`))).toBe('404 not_found')
    expect(await outcomeOf(foreign.call('GET', '/session'))).toBe('200')
    expect(
      await tenants.store.findInvitation(hashToken(token), new Date(tenants.clock.now()).toISOString()),
    ).not.toBeNull()
  })
})

describe('the audit list', () => {
  /** Without the invitations, which the command line has sent. */
  const list = async () =>
    (await dataOf<AuditEntry[]>(admin.call('GET', '/audit'))).filter(({ event }) => event !== 'invited')

  it('has what members have done, newest first', async () => {
    const { ours } = tenants
    const token = await ours.visitorToken()
    const { id: messageId } = await dataOf<{ id: string }>(ours.send(token, 'Hello'))
    const nora = await createMember(tenants)
    const [conversation] = await dataOf<DeskConversation[]>(nora.call('GET', '/conversations'))
    const path = `/conversations/${conversation?.id}`
    tenants.clock.advance(1)
    await nora.call('GET', path)
    tenants.clock.advance(1)
    for (let times = 0; times < 2; times++) await nora.call('DELETE', `${path}/messages/${messageId}`)
    const about = { member: { id: nora.id, name: 'Nora' }, conversationId: conversation?.id, contactName: null }
    expect(await list()).toMatchObject([
      { event: 'message_removed', ...about },
      { event: 'conversation_read', ...about },
    ])
  })

  it.each(['', '/changes', '/earlier?before=9'])('has the reading of a conversation (%s) once an hour', async below => {
    await tenants.ours.send(await tenants.ours.visitorToken(), 'Hello')
    const [conversation] = await dataOf<DeskConversation[]>(admin.call('GET', '/conversations'))
    const read = () => outcomeOf(admin.call('GET', `/conversations/${conversation?.id}${below}`))
    for (const pass of [0, 60 * 60_000 - 1, 1]) {
      tenants.clock.advance(pass)
      expect(await read()).toBe('200')
    }
    expect((await list()).map(({ event }) => event)).toEqual(['conversation_read', 'conversation_read'])
  })

  it('comes in pages', async () => {
    const { organizationId } = tenants.ours.bot
    for (const about of ['1', '2', '3']) {
      tenants.clock.advance(1)
      const createdAt = new Date(tenants.clock.now()).toISOString()
      await tenants.store.recordAudit({ organizationId, event: 'signed_in', member: null, about, createdAt })
    }
    const page = async (query: string) =>
      (await admin.call('GET', `/audit?limit=2${query}`)).json() as Promise<AuditPage>
    const first = await page('')
    const second = await page(`&after=${first.next}`)
    expect([...first.data, ...second.data].map(({ about }) => about)).toEqual(['3', '2', '1', admin.email])
    expect(second.next).toBeNull()
  })
})
