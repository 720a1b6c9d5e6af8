import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EndpointName, endpoints, type Message, type Session, type VisitorSession } from '../contract/index.ts'
import { dataOf } from '../platform/testing/testTenants.ts'
import { isApiError } from '../sdk/index.ts'
import { attachmentCases } from './testing/attachmentCases.ts'
import { message, streamed } from './testing/streamed.ts'
import { startTestPlatform, type TestPlatform } from './testing/testPlatform.ts'
import { visitor, write } from './testing/visitorCalls.ts'

const sessionStatus = async ({ call }: TestPlatform, bearer: string) =>
  (await call('retrieveSession', { bearer })).status

const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'

/** A case for every endpoint. The compiler demands one for each new endpoint. */
const cases: Record<EndpointName, (platform: TestPlatform) => Promise<void>> = {
  async createContact({ client }) {
    const given = { name: 'Ada Lovelace', email: 'Ada@example.com', phone: '1', wid: '+4712345678', mid: 'm-1' }
    expect(await client.contacts.create(given)).toMatchObject(given)
    const error = await client.contacts.create(given).catch(error => error)
    expect(isApiError(error) && [error.status, error.code, error.conflict?.field]).toEqual([
      400,
      'email_taken',
      'email',
    ])
  },
  async upsertContacts({ client, newContact }) {
    const old = await newContact()
    const results = await client.contacts.upsert([
      { name: 'Fresh', email: `${crypto.randomUUID()}@example.com` },
      { email: old.email, phone: '22' },
    ])
    expect(results.map(({ index }) => index)).toEqual([0, 1])
    expect(results[1]?.id).toBe(old.id)
    expect((await client.contacts.retrieve(old.id)).phone).toBe('22')
  },
  async searchContacts({ client, newContact }) {
    const contact = await newContact()
    const found = await client.contacts.search({ query: contact.email, page: 1, limit: 5 })
    expect(found).toEqual({ data: [contact], pagination: expect.objectContaining({ total: 1, limit: 5, pages: [1] }) })
  },
  async listContacts({ client, newContact }) {
    const found = client.contacts.search({ query: (await newContact()).email })
    expect((await found[Symbol.asyncIterator]().next()).value).toMatchObject({ id: expect.any(String) })
  },
  async retrieveContact({ client, newContact }) {
    const contact = await newContact()
    expect(await client.contacts.retrieve(contact.id)).toEqual(contact)
    await expect(client.contacts.retrieve(crypto.randomUUID())).rejects.toMatchObject({ code: 'not_found' })
  },
  async updateContact({ client, newContact }) {
    const { id } = await newContact()
    await client.contacts.update(id, { name: 'Augusta King' })
    expect((await client.contacts.retrieve(id)).name).toBe('Augusta King')
  },
  async retrieveContactAttributes({ client, newContact }) {
    const { id } = await newContact()
    expect(await client.contacts.retrieveAttributes(id)).toEqual({})
    await expect(client.contacts.retrieveAttributes(crypto.randomUUID())).rejects.toMatchObject({ status: 404 })
  },
  async setContactAttributes({ client, newContact }) {
    const { id } = await newContact()
    await client.contacts.setAttributes(id, { plan: 'pro', cart: 3, vip: true })
    expect(await client.contacts.retrieveAttributes(id)).toEqual({ plan: 'pro', cart: 3, vip: true })
    const tooLong = client.contacts.setAttributes(id, { plan: 'x'.repeat(501) })
    await expect(tooLong).rejects.toMatchObject({ errors: [{ pointer: '/attributes/plan' }] })
  },
  async deleteContact({ client, newContact }) {
    const { id } = await newContact()
    await client.contacts.delete(id)
    await expect(client.contacts.delete(id)).rejects.toMatchObject({ status: 404 })
  },
  async createContactToken({ client, newContact }) {
    const { id, email } = await newContact()
    const { token, createdAt, expiresAt } = await client.contactTokens.create({ id })
    expect(token).toMatch(/^c:[0-9a-f]{64}$/)
    expect(new Date(expiresAt).getUTCFullYear() - new Date(createdAt).getUTCFullYear()).toBe(1)
    expect((await client.contactTokens.create({ email })).token).not.toBe(token)
  },
  async revokeContactToken(platform) {
    const { client } = platform
    const { id } = await platform.newContact()
    const { token } = await client.contactTokens.create({ id })
    expect(await sessionStatus(platform, token)).toBe(200)
    await client.contactTokens.revoke(token)
    expect(await sessionStatus(platform, token)).toBe(401)
    await client.contactTokens.revoke(token)
  },
  async revokeContactTokens(platform) {
    const { client } = platform
    const { id } = await platform.newContact()
    const tokens = [await client.contactTokens.create({ id }), await client.contactTokens.create({ id })]
    await client.contactTokens.revokeAll(id)
    for (const { token } of tokens) expect(await sessionStatus(platform, token)).toBe(401)
  },
  async listConversations(platform) {
    const { conversations } = platform.client
    const { conversationId: older } = await write(platform)
    // If both were created in the same millisecond, their order would be random.
    const before = Date.now()
    while (Date.now() === before) await new Promise(setImmediate)
    const { conversationId: newer } = await write(platform)
    const { data, next } = await conversations.list({ limit: 1 })
    expect(data).toMatchObject([{ id: newer, contact: null, lastSeq: 1, lastMessage: { author: 'visitor' } }])
    expect(next).not.toBeNull()
    const second = await conversations.list({ limit: 1, ...(next && { after: next }) })
    expect(second.data.map(({ id }) => id)).toEqual([older])
  },
  async listConversationMessages(platform) {
    const { conversationId, sent } = await write(platform)
    const messages = await platform.client.conversations.messages.list(conversationId, { before: 2, limit: 1 })
    expect(messages).toMatchObject([{ ...sent, seq: 1, author: 'visitor' }])
  },
  async sendConversationMessage(platform) {
    const { conversations } = platform.client
    const { conversationId } = await write(platform)
    const given = {
      ...message(),
      format: 'markdown' as const,
      as: { name: 'Nora' },
      sources: [{ title: 'Delivery', url: 'https://shop.example/delivery' }],
    }
    const { as: sender, ...written } = given
    const sent = await conversations.messages.send(conversationId, given)
    expect(sent).toEqual({ ...written, sender, author: 'agent', seq: 2, createdAt: expect.any(String) })
    expect(await conversations.messages.send(conversationId, given)).toEqual(sent)
    const other = conversations.messages.send(conversationId, { ...given, text: 'Other' })
    await expect(other).rejects.toMatchObject({ status: 409, code: 'id_reused' })
    const pausedUntil = async () => (await conversations.list({ limit: 1 })).data[0]?.pausedUntil
    expect(await pausedUntil()).toEqual(expect.any(String))
    await conversations.handBack(conversationId)
    expect(await pausedUntil()).toBeNull()
  },
  async closeConversation(platform) {
    const { conversations } = platform.client
    const { conversationId } = await write(platform)
    await conversations.close(conversationId)
    expect((await conversations.list({ limit: 1 })).data).toMatchObject([{ state: 'closed', assignee: null }])
    await expect(conversations.close(crypto.randomUUID())).rejects.toMatchObject({ code: 'not_found' })
  },
  async reopenConversation(platform) {
    const { conversations } = platform.client
    const { conversationId } = await write(platform)
    await conversations.close(conversationId)
    await conversations.reopen(conversationId)
    expect((await conversations.list({ limit: 1 })).data).toMatchObject([{ state: 'bot' }])
  },
  async listContactMessages({ client: { conversations }, newContact }) {
    const { id: contactId } = await newContact()
    expect(await conversations.messages.list({ contactId })).toEqual([])
    const sent = await conversations.messages.send({ contactId }, message())
    expect(await conversations.messages.list({ contactId })).toEqual([sent])
  },
  async sendContactMessage(platform) {
    const { client, newContact } = platform
    const { id: contactId } = await newContact()
    const sent = await client.conversations.messages.send({ contactId }, { text: 'Hello', handBack: true })
    expect(sent).toMatchObject({ text: 'Hello', format: 'plain', seq: 1, author: 'agent' })
    const { token } = await client.contactTokens.create({ id: contactId })
    expect(await dataOf(platform.call('listMessages', { bearer: token }))).toEqual([sent])
  },
  async deleteConversationMessage(platform) {
    const { sent, bearer, conversationId } = await write(platform)
    const { messages } = platform.client.conversations
    const stream = platform.call('streamEvents', { bearer })
    const events = await streamed(platform, bearer, stream, () => messages.delete(conversationId, sent.id))
    const left = expect.objectContaining({ id: sent.id, text: '', removedAt: expect.any(String) })
    expect(events).toContainEqual({ event: 'message.changed', data: { revision: 1, message: left } })
    await expect(messages.delete(conversationId, crypto.randomUUID())).rejects.toMatchObject({ code: 'not_found' })
  },
  async deleteContactMessage({ client, newContact }) {
    const { id: contactId } = await newContact()
    const { id } = await client.conversations.messages.send({ contactId }, { text: 'Hello' })
    await client.conversations.messages.delete({ contactId }, id)
    expect(await client.conversations.messages.list({ contactId })).toMatchObject([{ id, text: '' }])
  },
  async showConversationTyping(platform) {
    const { conversationId, bearer } = await write(platform)
    const as = { name: 'Nora', avatar: 'https://shop.example/nora.png' }
    const stream = platform.call('streamEvents', { bearer })
    const events = await streamed(platform, bearer, stream, () =>
      platform.client.conversations.showTyping(conversationId, { as }),
    )
    expect(events).toContainEqual({ event: 'typing', data: { author: 'agent', sender: as } })
  },
  async showContactTyping(platform) {
    const { client, newContact, call } = platform
    const { id: contactId } = await newContact()
    await client.conversations.showTyping({ contactId })
    const { token: bearer } = await client.contactTokens.create({ id: contactId })
    const show = () => client.conversations.showTyping({ contactId })
    const events = await streamed(platform, bearer, call('streamEvents', { bearer }), show)
    expect(events).toContainEqual({ event: 'typing', data: { author: 'agent' } })
  },
  async retrieveBotProfile({ call }) {
    expect(await dataOf(call('retrieveBotProfile'))).toMatchObject({ name: 'Acme Outfitters' })
  },
  async createVisitorSession({ call }) {
    const response = await call('createVisitorSession')
    expect(response.status).toBe(201)
    expect((await dataOf<VisitorSession>(response)).token).toMatch(/^v:[0-9a-f]{64}$/)
  },
  async retrieveSession({ client, newContact, call }) {
    const { id, name } = await newContact()
    const { token } = await client.contactTokens.create({ id })
    const session = await dataOf<Session>(call('retrieveSession', { bearer: token }))
    expect(session).toEqual({ contact: { id, name }, conversation: { lastSeq: 0, readSeq: 0, unread: 0, revision: 0 } })
  },
  async retrieveSessionWithNonce({ client, newContact, call }) {
    const { id, name } = await newContact()
    const { token } = await client.contactTokens.create({ id })
    const answer = await call('retrieveSessionWithNonce', { bearer: token, body: { nonce } })
    const data = { contact: { id, name }, conversation: { lastSeq: 0, readSeq: 0, unread: 0, revision: 0 } }
    expect(await answer.json()).toEqual({ data, nonce })
  },
  async leaveEmail(platform) {
    const bearer = await visitor(platform)
    // This platform sends no email.
    expect((await platform.call('leaveEmail', { bearer, body: { email: 'ada@example.com' } })).status).toBe(404)
  },
  async endSession(platform) {
    const bearer = await visitor(platform)
    expect((await platform.call('endSession', { bearer })).status).toBe(204)
    expect(await sessionStatus(platform, bearer)).toBe(401)
  },
  async listMessages(platform) {
    const bearer = await visitor(platform)
    const sent = message()
    await platform.call('sendMessage', { bearer, body: sent })
    const listed = platform.call('listMessages', { bearer, query: '?before=2&limit=1' })
    expect(await dataOf(listed)).toMatchObject([{ ...sent, seq: 1, author: 'visitor' }])
  },
  async listMessagesWithNonce(platform) {
    const bearer = await visitor(platform)
    const sent = message()
    await platform.call('sendMessage', { bearer, body: sent })
    const answer = await platform.call('listMessagesWithNonce', { bearer, body: { nonce, before: 2, limit: 1 } })
    expect(await answer.json()).toMatchObject({ data: [{ ...sent, seq: 1, author: 'visitor' }], nonce })
  },
  async sendMessage(platform) {
    const bearer = await visitor(platform)
    const body = message()
    const first = await platform.call('sendMessage', { bearer, body })
    const again = await platform.call('sendMessage', { bearer, body })
    expect([first.status, again.status]).toEqual([201, 200])
    expect(await again.json()).toEqual(await first.json())
    expect((await platform.call('sendMessage', { bearer, body: { ...body, text: 'Other' } })).status).toBe(409)
  },
  ...attachmentCases,
  async markRead(platform) {
    const bearer = await visitor(platform)
    await platform.call('sendMessage', { bearer, body: message() })
    expect((await platform.call('markRead', { bearer, body: { seq: 1 } })).status).toBe(204)
    const session = await dataOf<Session>(platform.call('retrieveSession', { bearer }))
    expect(session.conversation.readSeq).toBe(1)
  },
  async stopReply(platform) {
    const bearer = await visitor(platform)
    await platform.call('sendMessage', { bearer, body: message() })
    expect((await platform.call('stopReply', { bearer, body: { id: crypto.randomUUID() } })).status).toBe(204)
  },
  async requestHandover(platform) {
    const bearer = await visitor(platform)
    expect((await platform.call('requestHandover', { bearer })).status).toBe(404)
    await platform.setHandover(true)
    for (const _ of ['asked', 'asked again'])
      expect((await platform.call('requestHandover', { bearer })).status).toBe(204)
    await platform.setHandover(false)
    const messages = await dataOf<Message[]>(platform.call('listMessages', { bearer }))
    expect(messages).toMatchObject([{ author: 'system', event: 'handover_requested', text: '' }])
  },
  async rateMessage({ client, newContact, call }) {
    const { id: contactId } = await newContact()
    const { id } = await client.conversations.messages.send({ contactId }, { text: 'Yes' })
    const { token: bearer } = await client.contactTokens.create({ id: contactId })
    await call('rateMessage', { bearer, body: { id, rating: 'up' } })
    expect(await client.conversations.messages.list({ contactId })).toMatchObject([{ id, rating: 'up' }])
  },
  async retrieveContactData({ client, newContact, call }) {
    const { id, name, email, phone, createdAt } = await newContact()
    const { token: bearer } = await client.contactTokens.create({ id })
    const answer = await call('retrieveContactData', { bearer, body: { nonce } })
    expect(await answer.json()).toEqual({ data: { name, email, phone, createdAt, messages: 0, attachments: 0 }, nonce })
  },
  async eraseContact({ client, newContact, call }) {
    const { id } = await newContact()
    const { token: bearer } = await client.contactTokens.create({ id })
    expect((await call('eraseContact', { bearer })).status).toBe(204)
    await expect(client.contacts.retrieve(id)).rejects.toMatchObject({ code: 'not_found' })
  },
  async streamEvents(platform) {
    const bearer = await visitor(platform)
    const events = await streamed(platform, bearer, platform.call('streamEvents', { bearer, query: '?after=0' }))
    expect(events.map(({ event }) => event)).toEqual(['comment', 'message'])
  },
  async streamEventsWithNonce(platform) {
    const bearer = await visitor(platform)
    const answer = platform.call('streamEventsWithNonce', { bearer, body: { nonce, after: 0 } })
    const [opened, next] = await streamed(platform, bearer, answer)
    expect([opened, next?.event]).toEqual([{ event: 'opened', data: { nonce } }, 'message'])
  },
}

for (const overPort of [false, true]) {
  describe(`every endpoint answers ${overPort ? 'over a port' : 'in memory'}`, () => {
    let platform: TestPlatform
    beforeAll(async () => {
      platform = await startTestPlatform(overPort)
    })
    afterAll(() => platform.close())

    it.each(Object.keys(endpoints) as EndpointName[])('%s', name => cases[name](platform))
  })
}
