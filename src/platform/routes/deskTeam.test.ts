import { beforeEach, describe, expect, it } from 'vitest'
import type { AuditEntry, AuditPage, DeskConversation } from '../../contract/desk.ts'
import { deskEndpoints } from '../../contract/endpoints/desk.ts'
import type { Route } from '../../contract/index.ts'
import { createMember, deskCalls, type TestMember } from '../testing/createMember.ts'
import { createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

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

describe('the audit list', () => {
  const list = (query = '') => dataOf<AuditEntry[]>(admin.call('GET', `/audit${query}`))

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
      await tenants.store.recordAudit({ organizationId, event: 'invited', member: null, about, createdAt })
    }
    const page = async (query: string) =>
      (await admin.call('GET', `/audit?limit=2${query}`)).json() as Promise<AuditPage>
    const first = await page('')
    const second = await page(`&after=${first.next}`)
    expect([...first.data, ...second.data].map(({ about }) => about)).toEqual(['3', '2', '1'])
    expect(second.next).toBeNull()
  })
})
