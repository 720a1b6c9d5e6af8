import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConversationPage, Message } from '../../contract/index.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import {
  createTestTenants,
  dataOf,
  outcomeOf,
  readEvents,
  type TestBot,
  type TestTenants,
} from '../testing/testTenants.ts'

const minute = 60_000

const list = async ({ call }: TestBot, query = ''): Promise<ConversationPage> =>
  (await call('GET', `/conversations${query}`)).json() as Promise<ConversationPage>
const read = async ({ call }: TestBot, path: string, token?: string) =>
  (await dataOf(await call('GET', `${path}/messages`, token === undefined ? {} : { token }))) as Message[]
const write = (testBot: TestBot, path: string, json: object) => testBot.call('POST', `${path}/messages`, { json })
const newMessage = (text = 'An agent here.') => ({ id: randomUUID(), text })

describe('conversations for the organization’s server', () => {
  let tenants: TestTenants
  beforeAll(async () => {
    tenants = await createTestTenants()
  })
  afterAll(() => tenants.close())

  it('lists conversations that have a message, newest message first, page by page', async () => {
    const tokens = []
    for (const text of ['one', 'two', 'three']) {
      const token = await tenants.sibling.visitorToken()
      tokens.push(token)
      tenants.clock.advance(1)
      await tenants.sibling.send(token, text)
    }
    await tenants.sibling.visitorToken()
    tenants.clock.advance(1)
    await tenants.sibling.send(tokens[0] ?? '', 'again')
    const texts = ({ data }: ConversationPage) => data.map(({ lastMessage }) => lastMessage.text)
    const first = await list(tenants.sibling, '?limit=2')
    const second = await list(tenants.sibling, `?limit=2&after=${first.next}`)
    expect([texts(first), texts(second), second.next]).toEqual([['again', 'three'], ['two'], null])
    expect(await list(tenants.sibling)).toEqual({ data: [...first.data, ...second.data], next: null })
    expect(await list(tenants.sibling, '?limit=3')).toMatchObject({ next: null })
    expect(first.data[0]).toMatchObject({ contact: null, lastSeq: 2, readSeq: 0, unread: 0, pausedUntil: null })
    expect((await list(tenants.otherOrganization)).data).toEqual([])
    for (const query of ['?after=x', '?after=', '?limit=0', '?limit=101'])
      expect(await outcomeOf(await tenants.sibling.call('GET', `/conversations${query}`))).toBe('400 invalid_request')
  })

  it('returns the messages, also by contact id, whose conversation is empty until somebody writes', async () => {
    const contact = await tenants.ours.createContact()
    const path = `/contacts/${contact.id}`
    expect(await read(tenants.ours, path)).toEqual([])
    const token = await tenants.ours.contactToken(contact.id)
    for (const text of ['one', 'two', 'three']) await tenants.ours.send(token, text)
    const [conversation] = (await list(tenants.ours)).data
    expect(conversation).toMatchObject({ contact: { id: contact.id, name: contact.name }, lastSeq: 3 })
    const own = await read(tenants.ours, `/conversations/${conversation?.id}`)
    expect(own.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
    expect(await read(tenants.ours, path)).toEqual(own)
    const page = await tenants.ours.call('GET', `${path}/messages?before=3&limit=1`)
    expect(await dataOf(page)).toMatchObject([{ seq: 2 }])
  })

  it('stores the sources of a message, and refuses bad ones', async () => {
    const contact = await tenants.ours.createContact()
    const path = `/contacts/${contact.id}`
    const sources = [{ title: 'Returns', url: 'https://shop.example/returns' }]
    const message = newMessage()
    for (let time = 0; time < 2; time++) {
      const sent = (await dataOf(await write(tenants.ours, path, { ...message, sources }))) as Message
      expect(sent).toMatchObject({ ...message, sources })
    }
    expect(await read(tenants.ours, path)).toMatchObject([{ ...message, sources }])
    const token = await tenants.ours.contactToken(contact.id)
    expect(await dataOf(await tenants.ours.call('GET', '/widget/messages', { token }))).toMatchObject([{ sources }])
    const bad = [{ title: 'Returns', url: 'javascript:alert(1)' }]
    const refused = await write(tenants.ours, path, { ...newMessage(), sources: bad })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/sources/0/url', code: 'invalid_format' }] })
    await write(tenants.ours, path, { ...newMessage('Without.'), sources: [] })
    expect((await read(tenants.ours, path)).at(-1)).not.toHaveProperty('sources')
  })

  it("stores an agent's message once however often it is sent, and delivers it to open widgets like any other", async () => {
    const { id } = await tenants.ours.createContact()
    const token = await tenants.ours.contactToken(id)
    const events = readEvents(await tenants.ours.call('GET', '/widget/events', { token }))
    const message = { ...newMessage(' **Hello** '), format: 'markdown' }
    tenants.clock.advance(1)
    const first = await write(tenants.ours, `/contacts/${id}`, message)
    const repeated = await write(tenants.ours, `/contacts/${id}`, message)
    expect([first.status, repeated.status]).toEqual([201, 200])
    const stored = await dataOf(first)
    expect(stored).toMatchObject({ ...message, text: '**Hello**', seq: 1, author: 'agent' })
    expect(await dataOf(repeated)).toEqual(stored)
    expect((await events.nextOf('message')).data).toEqual(stored)
    expect(await read(tenants.ours, '/widget', token)).toEqual([stored])
    expect((await list(tenants.ours)).data[0]).toMatchObject({ contact: { id }, unread: 1 })
    for (const other of [{ text: 'Other' }, { format: 'plain' }])
      expect(await outcomeOf(await write(tenants.ours, `/contacts/${id}`, { ...message, ...other }))).toBe(
        '409 id_reused',
      )
    await events.cancel()
  })

  it('refuses a message without id or text, and one that would be invalid for a visitor', async () => {
    const { id } = await tenants.ours.createContact()
    const bad = [{}, { handBack: false }, { id: randomUUID() }, { text: 'x' }, { handBack: 'yes' }]
    const wrong = [{ id: 'x', text: 'x' }, newMessage(' '), newMessage('x'.repeat(4001)), newMessage('\0')]
    for (const json of [...bad, ...wrong, { ...newMessage(), format: 'html' }])
      expect(await outcomeOf(await write(tenants.ours, `/contacts/${id}`, json))).toBe('400 invalid_request')
    expect(await read(tenants.ours, `/contacts/${id}`)).toEqual([])
  })

  it('does not find conversations of another bot or organization, or with an invalid id', async () => {
    const { id } = await tenants.ours.createContact()
    await write(tenants.ours, `/contacts/${id}`, newMessage())
    const conversationId = (await list(tenants.ours)).data[0]?.id
    const answers: string[] = []
    const ask = async ({ call }: TestBot, path: string) => {
      for (const json of [undefined, newMessage(), { handBack: true }]) {
        const response = await call(json ? 'POST' : 'GET', `${path}/messages`, { json })
        expect(response.status).toBe(404)
        answers.push((await response.text()).replace(/request:[^"]+/, ''))
      }
    }
    for (const testBot of [tenants.sibling, tenants.otherOrganization]) {
      await ask(testBot, `/conversations/${conversationId}`)
      await ask(testBot, `/contacts/${id}`)
    }
    for (const unknown of [randomUUID(), 'x', '%00', "'", conversationId])
      await ask(tenants.ours, `/contacts/${unknown}`)
    for (const unknown of [randomUUID(), 'x', id]) await ask(tenants.ours, `/conversations/${unknown}`)
    expect(new Set(answers).size).toBe(1)
    expect(await read(tenants.ours, `/contacts/${id}`)).toHaveLength(1)
  })
})

describe('an agent takes over', () => {
  async function start(options: Parameters<typeof createTestTenants>[0] = {}) {
    const scripted = createScriptedResponder()
    const tenants = await createTestTenants({ responder: scripted.responder, ...options })
    const { id } = await tenants.ours.createContact()
    const token = await tenants.ours.contactToken(id)
    const events = readEvents(await tenants.ours.call('GET', '/widget/events', { token }))
    const sendMessage = (text = 'Anybody?') => tenants.ours.send(token, text)
    const path = `/contacts/${id}`
    /** How many turns are waiting or running. Leases all of them, after their leases have expired. */
    const turns = async () => {
      const then = new Date(tenants.clock.now() + minute).toISOString()
      return (await tenants.store.leaseTurns('a test', then, then, 10)).length
    }
    return { scripted, tenants, token, events, sendMessage, path, turns }
  }

  it('and the running reply is aborted immediately, with nothing of it stored', async () => {
    const { scripted, tenants, token, events, sendMessage, path } = await start()
    await sendMessage()
    await scripted.asked(0)
    await scripted.say({ text: 'Let me ' })
    const delta = await events.nextOf('message.delta')
    expect((await write(tenants.ours, path, newMessage())).status).toBe(201)
    expect(scripted.signals[0]?.aborted).toBe(true)
    expect((await events.nextOf('message.aborted')).data).toEqual({ id: delta.data['id'] })
    expect((await events.nextOf('message')).data).toMatchObject({ author: 'agent' })
    const authors = (await read(tenants.ours, '/widget', token)).map(({ author }) => author)
    expect(authors).toEqual(['visitor', 'agent'])
    await tenants.close()
  })

  it("while the reply is being stored, and only the agent's message is kept", async () => {
    const { scripted, tenants, token, events, sendMessage, path } = await start()
    const { endTurn } = tenants.store
    tenants.store.endTurn = async (...turn) => {
      await write(tenants.ours, path, newMessage())
      return endTurn(...turn)
    }
    await sendMessage()
    await scripted.asked(0)
    await scripted.say({ text: 'Too late.' })
    await scripted.say('end')
    await events.nextOf('message.aborted')
    const authors = (await read(tenants.ours, '/widget', token)).map(({ author }) => author)
    expect(authors).toEqual(['visitor', 'agent'])
    await tenants.close()
  })

  it("and the responder stays silent until 30 minutes after the agent's last message", async () => {
    const { scripted, tenants, sendMessage, path, turns } = await start()
    await write(tenants.ours, path, newMessage())
    tenants.clock.advance(20 * minute)
    await write(tenants.ours, path, newMessage())
    expect((await list(tenants.ours)).data[0]?.pausedUntil).toBe(
      new Date(tenants.clock.now() + 30 * minute).toISOString(),
    )
    tenants.clock.advance(29 * minute)
    await sendMessage()
    expect(await turns()).toBe(0)
    tenants.clock.advance(minute)
    expect((await list(tenants.ours)).data[0]?.pausedUntil).toBeNull()
    await sendMessage()
    expect((await scripted.asked(0))?.messages.at(-1)?.author).toBe('visitor')
    await tenants.close()
  })

  it('and hands back: the responder answers from the next message on', async () => {
    const { scripted, tenants, sendMessage, path, turns } = await start({ agentPauseMs: 5 * minute })
    const profile = await dataOf(await tenants.ours.call('GET', '/widget', { token: '' }))
    expect(profile).toMatchObject({ agentPauseSeconds: 300 })
    const message = newMessage()
    await write(tenants.ours, path, message)
    await sendMessage('to the agent')
    expect(await turns()).toBe(0)
    expect((await write(tenants.ours, path, { handBack: true })).status).toBe(204)
    expect((await list(tenants.ours)).data[0]?.pausedUntil).toBeNull()
    await sendMessage('to the bot')
    expect((await scripted.asked(0))?.messages.at(-1)?.author).toBe('visitor')
    await tenants.close()
  })

  it('and hands back with the last message, even if that message is sent again', async () => {
    const { tenants, path } = await start()
    const paused = async () => (await list(tenants.ours)).data[0]?.pausedUntil !== null
    await write(tenants.ours, path, { ...newMessage(), handBack: true })
    expect(await paused()).toBe(false)
    const message = newMessage()
    await write(tenants.ours, path, message)
    expect(await paused()).toBe(true)
    expect((await write(tenants.ours, path, { ...message, handBack: true })).status).toBe(200)
    expect(await paused()).toBe(false)
    await tenants.close()
  })

  it('and may hand back to a contact without a conversation', async () => {
    const { tenants, path } = await start()
    expect((await write(tenants.ours, path, { handBack: true })).status).toBe(204)
    await tenants.close()
  })
})
