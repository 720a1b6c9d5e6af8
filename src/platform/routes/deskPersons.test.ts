import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { AuditEntry, DeskConversation, OpenedConversation } from '../../contract/desk.ts'
import { createMember } from '../testing/createMember.ts'
import { startTalk } from '../testing/startTalk.ts'
import { dataOf, outcomeOf } from '../testing/testTenants.ts'

/** A contact and a guest have written to a bot; an admin and an agent see both conversations. */
async function start() {
  const talk = await startTalk()
  const { tenants, ours, contact } = talk
  const admin = await createMember(tenants, { role: 'admin', name: 'Ada' })
  const agent = await createMember(tenants)
  await talk.send('I am a contact')
  const guestToken = await ours.visitorToken()
  await ours.send(guestToken, 'I am a guest')
  const list = () => dataOf<DeskConversation[]>(agent.call('GET', '/conversations'))
  const find = async (isContact: boolean) =>
    (await list()).find(conversation => (conversation.contact !== null) === isContact)?.id ?? ''
  const personOf = async (id: string) =>
    (await dataOf<OpenedConversation>(agent.call('GET', `/conversations/${id}`))).person
  const recorded = async () =>
    (await dataOf<AuditEntry[]>(admin.call('GET', '/audit')))
      .filter(({ event }) => ['exported', 'erased', 'blocked', 'signed_out_everywhere'].includes(event))
      .map(({ event, member, conversationId, contactId }) => [event, member?.name, conversationId, contactId])
  const [ofContact, ofGuest] = [await find(true), await find(false)]
  return { ...talk, contactId: contact.id, admin, agent, guestToken, list, personOf, recorded, ofContact, ofGuest }
}

it('a contact is signed out everywhere', async () => {
  const { agent, events, personOf, recorded, ours, token, ofContact, ofGuest, contactId } = await start()
  expect((await personOf(ofContact)).signedInSince).not.toBeNull()
  expect(await outcomeOf(agent.call('POST', `/conversations/${ofContact}/person/sign-out`))).toBe('204')
  expect((await events.nextOf('session.ended')).data).toEqual({ reason: 'revoked' })
  expect(await outcomeOf(ours.call('GET', '/widget/session', { token }))).toBe('401 token_revoked')
  expect((await personOf(ofContact)).signedInSince).toBeNull()
  expect(await outcomeOf(agent.call('POST', `/conversations/${ofGuest}/person/sign-out`))).toBe('404 not_found')
  expect(await recorded()).toEqual([['signed_out_everywhere', 'Nora', ofContact, contactId]])
})

it('an admin exports what the command exports, and no note', async () => {
  const { admin, agent, store, ours, recorded, ofContact, ofGuest, contactId } = await start()
  await agent.call('POST', `/conversations/${ofContact}/notes`, { json: { id: randomUUID(), text: 'She owes us' } })
  const exported = await admin.call('POST', `/conversations/${ofContact}/person/export`)
  const text = await exported.text()
  const scope = { organizationId: ours.bot.organizationId, botId: ours.bot.id, contactId }
  expect(JSON.parse(text)).toEqual(await store.exportContact(scope))
  expect(text).toContain('I am a contact')
  expect(text).not.toContain('She owes us')
  expect(await outcomeOf(admin.call('POST', `/conversations/${ofGuest}/person/export`))).toBe('404 not_found')
  expect(await recorded()).toEqual([['exported', 'Ada', ofContact, contactId]])
})

it('an admin erases a contact, or the conversation of a guest', async () => {
  const { admin, ours, list, recorded, token, guestToken, ofContact, ofGuest, contactId } = await start()
  for (const id of [ofContact, ofGuest])
    expect(await outcomeOf(admin.call('DELETE', `/conversations/${id}/person`))).toBe('204')
  expect(await list()).toEqual([])
  expect(await outcomeOf(ours.call('GET', `/contacts/${contactId}`))).toBe('404 not_found')
  for (const erased of [token, guestToken])
    expect(await outcomeOf(ours.call('GET', '/widget/messages', { token: erased }))).toBe('401 contact_deleted')
  expect(await outcomeOf(admin.call('DELETE', `/conversations/${ofGuest}/person`))).toBe('404 not_found')
  expect(new Set(await recorded())).toEqual(
    new Set([
      ['erased', 'Ada', ofContact, contactId],
      ['erased', 'Ada', ofGuest, null],
    ]),
  )
})

it('a blocked guest is refused for good, without an event that would let its widget begin anew', async () => {
  const { agent, ours, list, personOf, recorded, guestToken, ofContact, ofGuest } = await start()
  const stream = await ours.call('GET', '/widget/events', { token: guestToken })
  const block = (id: string) => outcomeOf(agent.call('POST', `/conversations/${id}/person/block`))
  expect(await block(ofGuest)).toBe('204')
  expect(await stream.text()).not.toContain('session.ended')
  const sent = ours.call('POST', '/widget/messages', { token: guestToken, json: { id: randomUUID(), text: 'again' } })
  expect(await outcomeOf(sent)).toBe('403 visitor_blocked')
  expect(await outcomeOf(ours.call('GET', '/widget/session', { token: guestToken }))).toBe('403 visitor_blocked')
  expect((await personOf(ofGuest)).isBlocked).toBe(true)
  expect((await list()).find(({ id }) => id === ofGuest)).toMatchObject({ state: 'closed' })
  expect(await block(ofContact)).toBe('404 not_found')
  expect(await recorded()).toEqual([['blocked', 'Nora', ofGuest, null]])
})

it('what is for admins does not exist for an agent', async () => {
  const { agent, list, recorded, ofContact } = await start()
  expect(await outcomeOf(agent.call('POST', `/conversations/${ofContact}/person/export`))).toBe('404 not_found')
  expect(await outcomeOf(agent.call('DELETE', `/conversations/${ofContact}/person`))).toBe('404 not_found')
  expect(await list()).toHaveLength(2)
  expect(await recorded()).toEqual([])
})
