import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { BotScope, ConversationKey, Store } from '../../store/store.ts'
import { at, newContact, newMessage, newSession, signIn, type TestTenants, useStore } from './storeTenants.ts'

export function describeAgents(open: () => Promise<Store>): void {
  const start = useStore(open)
  let tenants: TestTenants
  let store: Store
  let ours: BotScope
  beforeEach(async () => {
    tenants = await start()
    store = tenants.store
    ours = tenants.ours
  })

  const agent = (text: string, overrides = {}) => newMessage(text, { author: 'agent', ...overrides })
  const send = (
    which: ConversationKey,
    message = agent('May I help?'),
    until: string | null = at(1000),
    scope = ours,
  ) => store.appendAgentMessage(scope, { ...which, newConversationId: randomUUID() }, message, until)
  const dueTurns = async (conversationId: string, now: string) =>
    (await store.leaseTurns(randomUUID(), now, now, 1000)).filter(turn => turn.conversationId === conversationId)

  describe('listConversations', () => {
    it('lists those with a message, newest message first, page by page', async () => {
      const people = []
      for (const second of [5, 9, 7, 9]) {
        const person = await signIn(store, ours)
        await store.appendVisitorMessage(person.hash, newMessage('old', { createdAt: at(4) }))
        await store.appendVisitorMessage(person.hash, newMessage(`at ${second}`, { createdAt: at(second) }))
        people.push({ ...person, second })
      }
      await signIn(store, ours, 'Silent')
      people.sort((a, b) => b.second - a.second || (a.conversationId < b.conversationId ? 1 : -1))
      const listed: string[] = []
      let after: { lastMessageAt: string; id: string } | undefined
      for (let page = 0; page < 3; page++) {
        const found = await store.listConversations(ours, { ...(after ? { after } : {}), limit: 2 })
        if (found === 'not_found') throw new Error(found)
        listed.push(...found.map(({ id }) => id))
        const last = found.at(-1)
        if (last) after = { lastMessageAt: last.lastMessage.createdAt, id: last.id }
      }
      expect(listed).toEqual(people.map(({ conversationId }) => conversationId))
    })

    it('shows the contact, the last message, the unread count and until when the responder is silent', async () => {
      const { hash, conversationId, contact } = await signIn(store, ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      const sender = { name: 'Nora', avatar: 'https://shop.example/nora.png' }
      const sources = [{ title: 'Returns', url: 'https://shop.example/returns' }]
      const message = agent('**hi**', { format: 'markdown', sender, sources, createdAt: at(6) })
      await send({ conversationId }, message, at(1800))
      expect(await store.listConversations(ours, { limit: 9 })).toEqual([
        {
          id: conversationId,
          contact: { id: contact.id, name: 'Ada' },
          lastSeq: 2,
          readSeq: 0,
          unread: 1,
          lastMessage: { ...message, seq: 2 },
          pausedUntil: at(1800),
          waitingSince: null,
          createdAt: at(2),
        },
      ])
      const visitor = newSession()
      await store.createVisitorSession(tenants.sibling.botId, visitor)
      await store.appendVisitorMessage(visitor.hash, newMessage('hello'))
      const [anonymous] = (await store.listConversations(tenants.sibling, { limit: 9 })) as object[]
      expect(anonymous).toMatchObject({ contact: null, unread: 0, pausedUntil: null })
    })

    it('does not find the bot of another organization', async () => {
      const mixed = { ...ours, organizationId: tenants.otherOrganization.organizationId }
      expect(await store.listConversations(mixed, { limit: 9 })).toBe('not_found')
      expect(await store.listConversations(ours, { limit: 9 })).toEqual([])
    })
  })

  describe('findBotConversation', () => {
    it('finds a conversation by its id or its contact’s, only within the bot', async () => {
      const { conversationId, contact } = await signIn(store, ours)
      const found = { id: conversationId, botId: ours.botId, contact: { id: contact.id, name: 'Ada' }, lastSeq: 0 }
      expect(await store.findBotConversation(ours, { conversationId })).toMatchObject(found)
      expect(await store.findBotConversation(ours, { contactId: contact.id })).toMatchObject(found)
      const others = [
        tenants.sibling,
        tenants.otherOrganization,
        { ...ours, organizationId: tenants.otherOrganization.organizationId },
      ]
      for (const scope of others) {
        expect(await store.findBotConversation(scope, { conversationId })).toBeNull()
        expect(await store.findBotConversation(scope, { contactId: contact.id })).toBeNull()
      }
    })
  })

  describe('appendAgentMessage', () => {
    it('stores the message as the next one and ends the waiting or running turn', async () => {
      const [waiting, running] = [await signIn(store, ours), await signIn(store, ours)]
      for (const { hash } of [waiting, running]) await store.appendVisitorMessage(hash, newMessage('hello'))
      const leased = await store.leaseTurns('me', at(4), at(1000), 1000)
      expect(leased.map(turn => turn.conversationId)).toContain(running.conversationId)
      await store.renewTurns([[waiting.conversationId, 'me']], '')
      for (const { conversationId } of [waiting, running]) {
        const message = agent('May I help?')
        const stored = {
          ...{ conversationId, message: { ...message, seq: 2 } },
          ...{ repeated: false, isHandedBack: false, isReplayed: false },
        }
        expect(await send({ conversationId }, message)).toEqual(stored)
        expect(await dueTurns(conversationId, at(2000))).toEqual([])
        expect(await store.endTurn(conversationId, 'me', { reply: newMessage('late', { author: 'bot' }) })).toBe('lost')
      }
    })

    it('silences the responder until the given time', async () => {
      const { hash, conversationId } = await signIn(store, ours)
      await send({ conversationId }, agent('May I help?'), at(100))
      await store.appendVisitorMessage(hash, newMessage('yes', { createdAt: at(99) }))
      expect(await dueTurns(conversationId, at(200))).toEqual([])
      await store.appendVisitorMessage(hash, newMessage('still there?', { createdAt: at(100) }))
      expect(await dueTurns(conversationId, at(200))).toHaveLength(1)
    })

    it('does not silence the responder if no time is given', async () => {
      const { hash, conversationId } = await signIn(store, ours)
      await send({ conversationId }, agent('one'), at(100))
      await send({ conversationId }, agent('two'), null)
      await store.appendVisitorMessage(hash, newMessage('yes'))
      expect(await dueTurns(conversationId, at(200))).toHaveLength(1)
    })

    it('creates the conversation of a contact that has none', async () => {
      const contact = newContact('Ada')
      await store.createContact(ours, contact)
      const newConversationId = randomUUID()
      const which = { contactId: contact.id, newConversationId }
      const first = await store.appendAgentMessage(ours, which, agent('Welcome'), null)
      expect(first).toMatchObject({ conversationId: newConversationId, message: { seq: 1 } })
      expect(await send({ contactId: contact.id })).toMatchObject({ conversationId: newConversationId })
      const session = newSession()
      await store.createContactSession(ours, { contactId: contact.id }, session)
      expect((await store.findSession(session.hash))?.conversationId).toBe(newConversationId)
    })

    it('stores the same message once, and refuses its id with other content', async () => {
      const { hash, conversationId } = await signIn(store, ours)
      const message = agent('May I help?')
      await send({ conversationId }, message, null)
      expect(await send({ conversationId }, { ...message, createdAt: at(50) })).toEqual({
        conversationId,
        message: { ...message, seq: 1 },
        repeated: true,
        isHandedBack: false,
        isReplayed: false,
      })
      // The repetition arrived late: it silences nothing.
      await store.appendVisitorMessage(hash, newMessage('yes', { createdAt: at(60) }))
      expect(await dueTurns(conversationId, at(70))).toHaveLength(1)
      expect(await send({ conversationId }, { ...message, text: 'other' })).toBe('reused')
      expect(await send({ conversationId }, { ...message, format: 'markdown' })).toBe('reused')
      expect(await send({ conversationId }, { ...message, sender: { name: 'Omar' } })).toBe('reused')
      const sources = [{ title: 'Returns', url: 'https://shop.example/returns' }]
      expect(await send({ conversationId }, { ...message, sources })).toBe('reused')
      expect(await store.appendVisitorMessage(hash, { ...message, author: 'visitor' })).toBe('reused')
    })

    it('hands back when it is repeated only if no colleague has written since, and the visitor has not asked for a person', async () => {
      const repeatAfter = async (act: (person: Awaited<ReturnType<typeof signIn>>) => Promise<unknown>) => {
        const person = await signIn(store, ours)
        const which = { conversationId: person.conversationId }
        const message = agent('Bye')
        await send(which, agent('Hello'), at(1000))
        expect(await send(which, message, null)).toMatchObject({ repeated: false, isHandedBack: true })
        await act(person)
        const again = await send(which, { ...message, createdAt: at(20) }, null)
        return [again, await dueAfterQuestion(person)]
      }
      const dueAfterQuestion = async ({ hash, conversationId }: { hash: string; conversationId: string }) => {
        await store.appendVisitorMessage(hash, newMessage('yes', { createdAt: at(21) }))
        return (await dueTurns(conversationId, at(22))).length
      }
      const repeated = { repeated: true, isHandedBack: false }
      expect(await repeatAfter(async () => {})).toMatchObject([repeated, 1])
      expect(
        await repeatAfter(({ conversationId }) => send({ conversationId }, agent('Nora here'), at(900))),
      ).toMatchObject([repeated, 0])
      expect(
        await repeatAfter(({ hash }) => store.requestHandover(hash, { at: at(10), until: at(900) })),
      ).toMatchObject([repeated, 0])
    })

    it('hands back when it is repeated with that, which it was not before', async () => {
      const { conversationId } = await signIn(store, ours)
      const message = agent('Bye')
      await send({ conversationId }, message, at(1000))
      for (const isHandedBack of [true, false])
        expect(await send({ conversationId }, { ...message, createdAt: at(20) }, null)).toMatchObject({
          repeated: true,
          isHandedBack,
        })
    })

    it('finds no conversation of another bot or organization, and creates none there', async () => {
      const { conversationId, contact } = await signIn(store, ours)
      const silent = newContact('Grace')
      await store.createContact(ours, silent)
      const others = [
        tenants.sibling,
        tenants.otherOrganization,
        { ...ours, organizationId: tenants.otherOrganization.organizationId },
      ]
      for (const scope of others) {
        for (const which of [{ conversationId }, { contactId: contact.id }, { contactId: silent.id }]) {
          expect(await send(which, agent('hi'), null, scope)).toBe('not_found')
          expect(await store.handBack(scope, which, at(9))).toBe('not_found')
        }
      }
      expect(await send({ conversationId: randomUUID() })).toBe('not_found')
      expect(await store.findBotConversation(ours, { contactId: silent.id })).toBeNull()
      expect(await store.listMessages(conversationId, { limit: 9 })).toEqual([])
    })
  })

  describe('handBack', () => {
    it('lets the responder reply again from the next message on', async () => {
      const { hash, conversationId, contact } = await signIn(store, ours)
      await send({ conversationId })
      await store.appendVisitorMessage(hash, newMessage('one'))
      const handBack = () => store.handBack(ours, { contactId: contact.id }, at(9))
      expect(await handBack()).toEqual({ endedIn: conversationId })
      expect(await handBack()).toEqual({ endedIn: null })
      expect(await dueTurns(conversationId, at(9))).toEqual([])
      await store.appendVisitorMessage(hash, newMessage('two'))
      expect(await dueTurns(conversationId, at(9))).toHaveLength(1)
    })

    it('ends the pause without a word to the visitor where only people answer', async () => {
      await store.updateBot(ours.botId, { responder: { kind: 'none' } })
      const { conversationId } = await signIn(store, ours)
      const listed = async () =>
        (await store.listMessages(conversationId, { limit: 9 })).map(({ event, text }) => event ?? text)
      await send({ conversationId }, agent('one'))
      expect(await store.handBack(ours, { conversationId }, at(9))).toEqual({ endedIn: conversationId })
      expect(await store.handBack(ours, { conversationId }, at(9))).toEqual({ endedIn: null })
      await send({ conversationId }, agent('two'))
      expect(await send({ conversationId }, agent('three'), null)).toMatchObject({ isHandedBack: true })
      expect(await listed()).toEqual(['one', 'two', 'three'])
    })
  })

  describe('exportContact', () => {
    it('returns the contact, its sessions and every message', async () => {
      const { contact, scope, hash, conversationId } = await signIn(store, ours)
      const question = newMessage('hello')
      const answer = agent('hi', {
        quickReplies: ['More'],
        sources: [{ title: 'Returns', url: 'https://shop.example/returns' }],
      })
      expect(await store.exportContact(scope)).toMatchObject({ locale: null, messages: [] })
      await store.appendVisitorMessage(hash, { ...question, locale: 'de-AT' })
      await send({ conversationId }, answer)
      await store.endSession(ours.botId, hash, 'revoked', at(8))
      expect(await store.exportContact(scope)).toEqual({
        contact,
        attributes: {},
        locale: 'de-AT',
        sessions: [{ createdAt: at(2), expiresAt: at(1000), ended: { reason: 'revoked', at: at(8) } }],
        messages: [
          { ...question, seq: 1 },
          { ...answer, seq: 2 },
        ],
      })
      expect(JSON.stringify(await store.exportContact(scope))).not.toContain(hash)
      expect(await store.exportContact({ ...scope, botId: tenants.sibling.botId })).toBeNull()
    })
  })
}
