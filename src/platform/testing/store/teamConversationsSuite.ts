import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { ListPlace, NewMessageWithFiles, Store } from '../../store/store.ts'
import {
  at,
  newAnswer,
  newContact,
  newMessage,
  newSession,
  sendAsAgent,
  signIn,
  storeTests,
  visit,
} from './storeTenants.ts'

const sources = [{ title: 'Returns', url: 'https://shop.example/returns' }]

export function describeTeamConversations(open: () => Promise<Store>): void {
  const it = storeTests(open)
  type Person = Awaited<ReturnType<typeof signIn>>
  /** Whether the responder answers a message that the visitor sends at that second. */
  const isAnswered = async (person: Person, second: number) => {
    await person.send('yes', { createdAt: at(second) })
    return (await person.dueTurns(at(second + 500))).length > 0
  }

  describe('listConversations', () => {
    it('lists those with a message, newest message first, page by page', async ({ store, ours }) => {
      await signIn(store, ours, 'Silent')
      const people = []
      for (const second of [5, 9, 7, 9]) {
        const person = await signIn(store, ours)
        for (const createdAt of [at(4), at(second)]) await person.send('hello', { createdAt })
        people.push({ ...person, second })
      }
      people.sort((a, b) => b.second - a.second || (a.conversationId < b.conversationId ? 1 : -1))
      const listed: string[] = []
      let after: ListPlace | undefined
      for (let page = 0; page < 3; page++) {
        const found = await store.listConversations(ours, { ...(after ? { after } : {}), limit: 2 })
        if (found === 'not_found') throw new Error(found)
        listed.push(...found.map(({ id }) => id))
        const last = found.at(-1)
        if (last) after = { at: last.lastMessage.createdAt, id: last.id }
      }
      expect(listed).toEqual(people.map(({ conversationId }) => conversationId))
    })

    it('shows contact, last message, unread count and pause', async ({ store, ours, sibling, ada }) => {
      await ada.send()
      const sender = { name: 'Nora', avatar: 'https://shop.example/nora.png' }
      const message = newAnswer('**hi**', { format: 'markdown', sender, sources, createdAt: at(6) })
      await ada.answer(message, at(1800))
      expect(await store.listConversations(ours, { limit: 9 })).toEqual([
        {
          id: ada.conversationId,
          contact: { id: ada.contact.id, name: 'Ada' },
          lastSeq: 2,
          readSeq: 0,
          unread: 1,
          lastMessage: { ...message, seq: 2 },
          state: 'open',
          assignee: null,
          pausedUntil: at(1800),
          waitingSince: null,
          createdAt: at(2),
        },
      ])
      await (await visit(store, sibling)).send()
      const anonymous = { contact: null, unread: 0, pausedUntil: null }
      expect(await store.listConversations(sibling, { limit: 9 })).toMatchObject([anonymous])
    })

    it('does not find the bot of another organization', async ({ store, ours, mismatched }) => {
      expect(await store.listConversations(mismatched, { limit: 9 })).toBe('not_found')
      expect(await store.listConversations(ours, { limit: 9 })).toEqual([])
    })
  })

  it('finds conversations of the bot alone, and begins none elsewhere', async ({ store, ours, foreignScopes, ada }) => {
    const { conversationId, contact } = ada
    const silent = newContact('Grace')
    await store.createContact(ours, silent)
    const found = { id: conversationId, botId: ours.botId, contact: { id: contact.id, name: 'Ada' }, lastSeq: 0 }
    expect(await store.findBotConversation(ours, { conversationId })).toMatchObject(found)
    expect(await store.findBotConversation(ours, { contactId: contact.id })).toMatchObject(found)
    for (const scope of foreignScopes) {
      for (const which of [{ conversationId }, { contactId: contact.id }, { contactId: silent.id }]) {
        expect(await store.findBotConversation(scope, which)).toBeNull()
        expect(await sendAsAgent(store, scope, which)).toBe('not_found')
        expect(await store.changeState(scope, which, 'handed_back', { at: at(9) })).toBe('not_found')
      }
    }
    expect(await sendAsAgent(store, ours, { conversationId: randomUUID() })).toBe('not_found')
    expect(await store.findBotConversation(ours, { contactId: silent.id })).toBeNull()
    expect(await ada.messages()).toEqual([])
  })

  describe('appendAgentMessage', () => {
    it('stores a message, and ends the turn that waits or runs', async ({ store, ada: waiting, grace: running }) => {
      for (const person of [waiting, running]) await person.send()
      const leased = await store.leaseTurns('me', at(4), at(1000), 1000)
      expect(leased.map(turn => turn.conversationId)).toContain(running.conversationId)
      await store.renewTurns([[waiting.conversationId, 'me']], '')
      for (const person of [waiting, running]) {
        const { conversationId } = person
        const message = newAnswer()
        const stored = { conversationId, message: { ...message, seq: 2 }, repeated: false, isHandedBack: false }
        expect(await person.answer(message, at(1000))).toEqual({ value: stored, replayed: false })
        expect(await person.dueTurns(at(2000))).toEqual([])
        const late = newMessage('late', { author: 'bot' })
        expect(await store.endTurn(conversationId, 'me', { reply: late })).toBe('lost')
      }
    })

    it('silences the responder until the given time, or not at all', async ({ ada, grace }) => {
      for (const person of [ada, grace]) await person.answer(newAnswer(), at(100))
      expect([await isAnswered(ada, 99), await isAnswered(ada, 100)]).toEqual([false, true])
      await grace.answer(newAnswer(), null)
      expect(await isAnswered(grace, 4)).toBe(true)
    })

    it('creates the conversation of a contact that has none', async ({ store, ours }) => {
      const contact = newContact('Ada')
      await store.createContact(ours, contact)
      const contactId = contact.id
      const which = { contactId, newConversationId: randomUUID() }
      const first = await store.appendAgentMessage(ours, which, newAnswer('Welcome'), null)
      const conversationId = which.newConversationId
      expect(first).toMatchObject({ value: { conversationId, message: { seq: 1 } } })
      expect(await sendAsAgent(store, ours, { contactId })).toMatchObject({ value: { conversationId } })
      const session = newSession()
      await store.createContactSession(ours, { contactId }, session)
      expect(await store.findSession(session.hash)).toMatchObject({ conversationId })
    })

    it('stores the same message once, and refuses its id with other content', async ({ ada }) => {
      const message = newAnswer()
      const { conversationId } = ada
      const stored = { conversationId, message: { ...message, seq: 1 }, repeated: true, isHandedBack: false }
      await ada.answer(message)
      expect(await ada.answer({ ...message, createdAt: at(50) }, at(1000))).toEqual({ value: stored, replayed: false })
      // The repetition arrived late: it silences nothing.
      expect(await isAnswered(ada, 60)).toBe(true)
      const others = [{ text: 'other' }, { format: 'markdown' }, { sender: { name: 'Omar' } }, { sources }]
      for (const other of others as Partial<NewMessageWithFiles>[])
        expect(await ada.answer({ ...message, ...other })).toBe('reused')
      expect(await ada.send('', { ...message, author: 'visitor' })).toBe('reused')
    })

    it('hands back when repeated only if nobody else has taken over since', async ({ store, ours }) => {
      const until = at(900)
      for (const [act, answered] of [
        [async () => {}, true],
        [(person: Person) => person.answer(newAnswer('Nora here'), until), false],
        [({ hash }: Person) => store.requestHandover(hash, { at: at(10), timeoutMs: 890_000 }), false],
      ] as const) {
        const person = await signIn(store, ours)
        const message = newAnswer('Bye')
        await person.answer(newAnswer('Hello'), at(1000))
        expect(await person.answer(message, null)).toMatchObject({ value: { repeated: false, isHandedBack: true } })
        await act(person)
        const again = await person.answer({ ...message, createdAt: at(20) }, null)
        expect(again).toMatchObject({ value: { repeated: true, isHandedBack: false } })
        expect(await isAnswered(person, 21)).toBe(answered)
      }
    })

    it('hands back when it is repeated with that, which it was not before', async ({ ada }) => {
      const message = newAnswer('Bye')
      await ada.answer(message, at(1000))
      for (const isHandedBack of [true, false])
        expect(await ada.answer({ ...message, createdAt: at(20) })).toMatchObject({
          value: { repeated: true, isHandedBack },
        })
    })
  })

  describe('handBack', () => {
    it('lets the responder reply again from the next message on', async ({ store, ours, ada }) => {
      await ada.answer(newAnswer(), at(1000))
      await ada.send('one')
      const handBack = () => store.changeState(ours, { contactId: ada.contact.id }, 'handed_back', { at: at(9) })
      expect(await handBack()).toEqual({ value: ada.conversationId, replayed: false })
      expect(await handBack()).toEqual({ value: null, replayed: false })
      expect(await ada.dueTurns(at(9))).toEqual([])
      expect(await isAnswered(ada, 9)).toBe(true)
    })

    it('ends the pause without a word to the visitor where only people answer', async ({ store, ours, ada }) => {
      await store.updateBot(ours.botId, { responder: { kind: 'none' } })
      const { conversationId } = ada
      await ada.answer(newAnswer('one'), at(1000))
      expect(await store.changeState(ours, { conversationId }, 'handed_back', { at: at(9) })).toEqual({
        value: conversationId,
        replayed: false,
      })
      expect(await store.changeState(ours, { conversationId }, 'handed_back', { at: at(9) })).toEqual({
        value: null,
        replayed: false,
      })
      await ada.answer(newAnswer('two'), at(1000))
      expect(await ada.answer(newAnswer('three'), null)).toMatchObject({ value: { isHandedBack: true } })
      expect(await ada.said()).toEqual(['one', 'two', 'three'])
    })
  })

  it('exportContact returns the contact, its sessions and every message', async ({ store, ours, sibling, ada }) => {
    const { contact, scope, hash } = ada
    const [question, answer] = [newMessage('hello'), newAnswer('hi', { quickReplies: ['More'], sources })]
    expect(await store.exportContact(scope)).toMatchObject({ locale: null, messages: [] })
    await ada.send('', { ...question, locale: 'de-AT' })
    await ada.answer(answer)
    await store.endSession(ours.botId, hash, 'revoked', at(8))
    const exported = await store.exportContact(scope)
    expect(exported).toEqual({
      contact,
      attributes: {},
      locale: 'de-AT',
      emailsEnded: null,
      sessions: [{ createdAt: at(2), expiresAt: at(1000), ended: { reason: 'revoked', at: at(8) } }],
      messages: [
        { ...question, seq: 1 },
        { ...answer, seq: 2 },
      ],
    })
    expect(JSON.stringify(exported)).not.toContain(hash)
    expect(await store.exportContact({ ...scope, botId: sibling.botId })).toBeNull()
  })
}
