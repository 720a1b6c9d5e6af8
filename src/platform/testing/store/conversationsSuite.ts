import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { Conversation } from '../../../contract/index.ts'
import type { NewMessage, Store } from '../../store/store.ts'
import { at, newAnswer, newHash, newMessage, signIn, storeTests, visit } from './storeTenants.ts'

export function describeConversations(open: () => Promise<Store>): void {
  const it = storeTests(open)

  describe('appendVisitorMessage', () => {
    it('numbers the messages of concurrent senders from 1 without gaps', async ({ ada, grace }) => {
      await Promise.all(Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? grace : ada).send(`${index}`)))
      const seqs = (await ada.messages()).map(({ seq }) => seq)
      expect(seqs).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
      expect((await ada.found())?.lastSeq).toBe(20)
    })

    it('stores a message of a conversation once, and refuses its id with another text', async ({ ada, grace }) => {
      const message = newMessage('hello')
      const stored = { ...message, seq: 1 }
      expect(await ada.send('hello', message)).toEqual({ message: stored, repeated: false })
      expect(await ada.send('hello', { ...message, createdAt: at(60) })).toEqual({ message: stored, repeated: true })
      expect(await ada.send('', { ...message, text: 'other' })).toBe('reused')
      expect(await ada.messages()).toHaveLength(1)
      expect(await grace.send('', { ...message, text: 'hi' })).toMatchObject({ repeated: false })
    })

    it('refuses an unknown, ended or expired session, by the time of the message', async ({ store, ours }) => {
      const visitor = await visit(store, ours, { expiresAt: at(10) })
      const send = (createdAt: string) => visitor.send('hi', { createdAt })
      expect(await store.appendVisitorMessage(newHash(), newMessage('hi'))).toBe('ended')
      expect(await send(at(10))).toBe('ended')
      expect(await send(at(9))).toMatchObject({ repeated: false })
      await store.endSession(ours.botId, visitor.hash, 'logged_out', at(9))
      expect(await send(at(9))).toBe('ended')
      expect(await visitor.messages()).toHaveLength(1)
    })
  })

  it('lists messages backwards and after a seq, ascending within a page', async ({ store, ada }) => {
    for (const text of 'abcdefg') await ada.send(text)
    const texts = async (page: { before?: number; limit: number }) =>
      (await store.listMessages(ada.conversationId, page)).map(({ text }) => text).join('')
    expect(await texts({ limit: 3 })).toBe('efg')
    expect(await texts({ before: 5, limit: 3 })).toBe('bcd')
    expect(await texts({ before: 2, limit: 3 })).toBe('a')
    expect(await texts({ before: 1, limit: 3 })).toBe('')
    expect(await store.listMessages(randomUUID(), { limit: 3 })).toEqual([])
    const textsAfter = async (seq: number, limit: number) =>
      (await store.listMessagesAfter(ada.conversationId, seq, limit)).map(({ text }) => text).join('')
    expect([await textsAfter(0, 10), await textsAfter(1, 2), await textsAfter(7, 10)]).toEqual(['abcdefg', 'bc', ''])
  })

  it('returns any text unchanged', async ({ ada }) => {
    const texts = ["'; DROP TABLE messages; --", '%_\\"\'`', '\u202eabc', '👩‍🚀 e\u0301 \u0085', 'x'.repeat(4000)]
    for (const text of texts) await ada.send(text)
    expect(await ada.said()).toEqual(texts)
  })

  describe('a NUL or an unpaired surrogate is stored as a replacement character', () => {
    const wrong = 'a\0b\ud800'
    it.for<[keyof NewMessage, Partial<NewMessage>]>([
      ['text', { text: wrong }],
      ['quickReplies', { quickReplies: [wrong] }],
      ['sender', { sender: { name: wrong, avatar: wrong } }],
      ['sources', { sources: [{ title: wrong, url: wrong }] }],
      ['attachments', { attachments: [{ id: randomUUID(), type: 'text/plain', size: 1, name: wrong }] }],
    ])('in %s', async ([name, field], { store, ada }) => {
      await ada.send()
      await store.leaseTurns('me', at(4), at(10), 1000)
      const reply = newMessage('Hi', { author: 'bot', ...field })
      const stored = await store.endTurn(ada.conversationId, 'me', { reply })
      const found = (await ada.messages())[1]
      expect(found).toEqual(stored)
      expect(JSON.stringify(found?.[name])).toContain('a\ufffdb\ufffd"')
    })

    it('in the context', async ({ store, ada }) => {
      await ada.send('hello', { claimed: { plan: wrong } })
      const [found] = await store.listMessagesWithContext(ada.conversationId, { limit: 9 })
      expect(found?.context?.claimed).toEqual({ plan: 'a\ufffdb\ufffd' })
    })
  })

  describe('markRead', () => {
    it('moves only forward and never beyond the last message', async ({ store, ada }) => {
      for (const text of 'abc') await ada.send(text)
      const read = []
      for (const seq of [2, 1, Number.MAX_SAFE_INTEGER]) read.push(await store.markRead(ada.hash, seq, at(4)))
      expect(read).toEqual([2, 2, 3])
      expect((await ada.found())?.readSeq).toBe(3)
      expect(await store.markRead(ada.hash, 3, at(1000))).toBe('ended')
    })

    it('counts messages of others after the last read one as unread', async ({ store, ours, ada }) => {
      const { contact, conversationId: id } = ada
      const unread = async () => {
        const [listed] = (await store.listConversations(ours, { limit: 1 })) as Conversation[]
        const found = await ada.found()
        expect(listed?.unread).toBe(found?.unread)
        return found?.unread
      }
      await ada.answer()
      await ada.send()
      await store.leaseTurns('me', at(4), at(9), 1000)
      await store.endTurn(id, 'me', { reply: newMessage('hi', { author: 'bot' }) })
      await ada.answer()
      const repeated = newAnswer()
      for (let index = 0; index < 2; index++) await ada.answer(repeated)
      expect(await unread()).toBe(4)
      const counts = []
      for (const seq of [1, 2, 1, 3, 3]) {
        await store.markRead(ada.hash, seq, at(4))
        counts.push(await unread())
      }
      expect(counts).toEqual([3, 3, 3, 2, 2])
      await ada.send()
      expect(await unread()).toBe(2)
      await store.markRead(ada.hash, 99, at(4))
      for (const write of [ada.send, ada.answer]) await write()
      const state = { lastSeq: 8, readSeq: 6, unread: 1, revision: 0, email: null, locale: null }
      const whose = { id, botId: ours.botId, contact: { id: contact.id, name: 'Ada' } }
      expect(await ada.found()).toEqual({ ...whose, ...state })
    })
  })

  it('keeps the language that the widget showed last, which a repetition does not change', async ({ ada }) => {
    const locale = async () => (await ada.found())?.locale
    await ada.send()
    expect(await locale()).toBeNull()
    const german = { ...newMessage('Guten Tag'), locale: 'de-AT' }
    expect(await ada.send('', german)).not.toHaveProperty('message.locale')
    await ada.send('Hallo?')
    expect(await locale()).toBe('de-AT')
    await ada.send('Bonjour', { locale: 'fr' })
    const { locale: _, ...silent } = german
    for (const again of [silent, german, { ...german, locale: 'nl' }])
      expect(await ada.send('', again)).toMatchObject({ repeated: true })
    expect(await locale()).toBe('fr')
  })

  it('sweeps: finds ended sessions, and conversations that have advanced', async ({ store, ours, ada, grace }) => {
    const [expired, still] = [await visit(store, ours, { expiresAt: at(20) }), await signIn(store, ours, 'Alan')]
    for (const each of [ada, grace, still]) await each.send()
    await store.markRead(grace.hash, 1, at(5))
    await store.endSession(ours.botId, grace.hash, 'revoked', at(5))
    const positions = [ada, grace, still].map(({ conversationId: id }, index) => {
      return { id, lastSeq: index === 0 ? 0 : 1, readSeq: 0, revision: 0 }
    })
    const hashes = [ada, grace, still, expired].map(({ hash }) => hash)
    const { conversations, ended } = await store.sweep({ conversations: positions, hashes, now: at(20) })
    const whose = ({ hash, conversationId }: typeof expired) => ({ hash, conversationId })
    expect(ended).toHaveLength(2)
    expect(ended).toContainEqual(expect.objectContaining({ ...whose(grace), reason: 'revoked' }))
    expect(ended).toContainEqual(expect.objectContaining({ ...whose(expired), reason: 'expired' }))
    expect(conversations).toHaveLength(2)
    expect(conversations).toContainEqual({ id: ada.conversationId, lastSeq: 1, readSeq: 0, revision: 0 })
    expect(conversations).toContainEqual({ id: grace.conversationId, lastSeq: 1, readSeq: 1, revision: 0 })
    const nothing = { conversations: [], ended: [] }
    expect(await store.sweep({ conversations: [], hashes: [], now: at(1) })).toEqual(nothing)
  })
}
