import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { AuditEntry, DeskConversation } from '../../contract/desk.ts'
import type { Attachment } from '../../contract/index.ts'
import { StoreUnavailableError } from '../store/store.ts'
import { createMember } from '../testing/createMember.ts'
import { startTalk } from '../testing/startTalk.ts'
import { dataOf, outcomeOf } from '../testing/testTenants.ts'

const hour = 60 * 60_000
const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'

/** A contact has written to a bot that lets visitors erase their data. */
async function start() {
  const talk = await startTalk()
  const { ours, store, token } = talk
  await store.updateBot(ours.bot.id, { attachments: true, eraseByVisitor: true, handover: true })
  await talk.send('Remember me')
  const sendFiles = async (count: number) => {
    const attachments = Array.from({ length: count }, () => ({ id: randomUUID(), name: 'note.txt' }))
    for (const { id } of attachments)
      await dataOf<Attachment>(ours.call('PUT', `/widget/attachments/${id}`, { token, body: 'A note' }))
    await dataOf(ours.call('POST', '/widget/messages', { token, json: { id: randomUUID(), attachments } }))
  }
  const read = (by = token) => ours.call('POST', '/widget/contact/retrieve', { token: by, json: { nonce } })
  const erase = (by = token) => outcomeOf(ours.call('DELETE', '/widget/contact', { token: by }))
  const retrieve = () => outcomeOf(ours.call('GET', `/contacts/${talk.contact.id}`))
  return { ...talk, sendFiles, read, erase, retrieve }
}

it('shows a contact what is stored, without events and files that no message has', async () => {
  const { ours, token, contact, clock, read, sendFiles } = await start()
  await sendFiles(2)
  await ours.call('POST', '/widget/handover', { token })
  await ours.call('PUT', `/widget/attachments/${randomUUID()}`, { token, body: 'Not sent' })
  const { name, email } = contact
  const createdAt = new Date(clock.now()).toISOString()
  expect(await (await read()).json()).toEqual({
    data: { name, email, phone: '', createdAt, messages: 2, attachments: 2 },
    nonce,
  })
})

it('erases the contact, ends all of its sessions and tells the desk, once', async () => {
  const { tenants, ours, contact, token, events, erase, retrieve } = await start()
  const admin = await createMember(tenants, { role: 'admin' })
  const [other, bystander] = [await ours.contactToken(contact.id), await ours.visitorToken()]
  const otherEvents = await ours.events(other)
  expect(await Promise.all([erase(), erase()])).toEqual(expect.arrayContaining(['204', '401 contact_deleted']))
  for (const stream of [events, otherEvents])
    expect((await stream.nextOf('session.ended')).data).toEqual({ reason: 'contact_deleted' })
  for (const by of [token, other]) expect(await erase(by)).toBe('401 contact_deleted')
  expect(await retrieve()).toBe('404 not_found')
  expect(await dataOf<DeskConversation[]>(admin.call('GET', '/conversations'))).toEqual([])
  const audit = await dataOf<AuditEntry[]>(admin.call('GET', '/audit'))
  expect(audit.filter(({ event }) => event === 'erased_by_visitor')).toMatchObject([
    { member: null, contactId: contact.id, contactName: null },
  ])
  expect(await outcomeOf(ours.call('GET', '/widget/session', { token: bystander }))).toBe('200')
})

it('is for contacts alone, and where the bot lets them', async () => {
  const { ours, store, read, erase, retrieve } = await start()
  const guest = await ours.visitorToken()
  expect([await outcomeOf(read(guest)), await erase(guest)]).toEqual(['404 not_found', '404 not_found'])
  await store.updateBot(ours.bot.id, { eraseByVisitor: false })
  expect([await outcomeOf(read()), await erase()]).toEqual(['404 not_found', '404 not_found'])
  expect(await retrieve()).toBe('200')
})

it('completes within the hour what was interrupted, because the visitor cannot repeat it', async () => {
  const { store, clock, sendFiles, erase, retrieve } = await start()
  // More than one step erases.
  await sendFiles(5)
  const { deleteContact } = store
  store.deleteContact = async () => {
    throw new StoreUnavailableError('The connection was lost.')
  }
  expect(await erase()).toBe('503 unavailable')
  expect([await erase(), await retrieve()]).toEqual(['401 contact_deleted', '200'])
  store.deleteContact = deleteContact
  clock.advance(hour)
  await expect.poll(retrieve).toBe('404 not_found')
})
