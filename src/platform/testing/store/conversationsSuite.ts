import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Attachment, Conversation } from '../../../contract/index.ts'
import type { Store } from '../../store/store.ts'
import { at, newHash, newMessage, newSession, signIn, useStore } from './storeTenants.ts'

export function describeConversations(open: () => Promise<Store>): void {
  const start = useStore(open)

  describe('appendVisitorMessage', () => {
    it('numbers the messages of a conversation from 1 without gaps, also with concurrent senders', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      const other = await signIn(store, ours, 'Grace')
      await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          store.appendVisitorMessage(index % 3 === 0 ? other.hash : hash, newMessage(`${index}`)),
        ),
      )
      const seqs = (await store.listMessages(conversationId, { limit: 100 })).map(({ seq }) => seq)
      expect(seqs).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
      expect((await store.findConversation(conversationId))?.lastSeq).toBe(20)
    })

    it('stores the same message once, and refuses its id with another text', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      const message = newMessage('hello')
      const first = await store.appendVisitorMessage(hash, message)
      expect(first).toEqual({ message: { ...message, seq: 1 }, repeated: false })
      const later = { ...message, createdAt: at(60) }
      expect(await store.appendVisitorMessage(hash, later)).toEqual({ message: { ...message, seq: 1 }, repeated: true })
      expect(await store.appendVisitorMessage(hash, { ...message, text: 'other' })).toBe('reused')
      expect(await store.listMessages(conversationId, { limit: 10 })).toHaveLength(1)
    })

    it('allows the same id in two conversations', async () => {
      const { store, ours } = await start()
      const [ada, grace] = [await signIn(store, ours), await signIn(store, ours, 'Grace')]
      const message = newMessage('hello')
      await store.appendVisitorMessage(ada.hash, message)
      expect(await store.appendVisitorMessage(grace.hash, { ...message, text: 'hi' })).toMatchObject({
        repeated: false,
      })
    })

    it('refuses an unknown, ended or expired session, by the time of the message', async () => {
      const { store, ours } = await start()
      const visitor = newSession({ expiresAt: at(10) })
      await store.createVisitorSession(ours.botId, visitor)
      const send = (hash: string, createdAt: string) =>
        store.appendVisitorMessage(hash, newMessage('hi', { createdAt }))
      expect(await send(newHash(), at(3))).toBe('ended')
      expect(await send(visitor.hash, at(10))).toBe('ended')
      expect(await send(visitor.hash, at(9))).toMatchObject({ repeated: false })
      await store.endSession(ours.botId, visitor.hash, 'logged_out', at(9))
      expect(await send(visitor.hash, at(9))).toBe('ended')
      expect(await store.listMessages(visitor.conversationId, { limit: 10 })).toHaveLength(1)
    })
  })

  describe('listMessages', () => {
    it('pages backwards through the history, ascending within a page', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      for (const text of 'abcdefg') await store.appendVisitorMessage(hash, newMessage(text))
      const texts = async (page: { before?: number; limit: number }) =>
        (await store.listMessages(conversationId, page)).map(({ text }) => text).join('')
      expect(await texts({ limit: 3 })).toBe('efg')
      expect(await texts({ before: 5, limit: 3 })).toBe('bcd')
      expect(await texts({ before: 2, limit: 3 })).toBe('a')
      expect(await texts({ before: 1, limit: 3 })).toBe('')
      expect(await store.listMessages(randomUUID(), { limit: 3 })).toEqual([])
    })

    it('lists the messages after a seq', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      for (const text of 'abcd') await store.appendVisitorMessage(hash, newMessage(text))
      const textsAfter = async (seq: number, limit: number) =>
        (await store.listMessagesAfter(conversationId, seq, limit)).map(({ text }) => text).join('')
      expect(await textsAfter(0, 10)).toBe('abcd')
      expect(await textsAfter(1, 2)).toBe('bc')
      expect(await textsAfter(4, 10)).toBe('')
    })

    it('returns any text unchanged', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      const texts = ["'; DROP TABLE messages; --", '%_\\"\'`', '\u202eabc', '👩‍🚀 e\u0301 \u0085', 'x'.repeat(4000)]
      for (const text of texts) await store.appendVisitorMessage(hash, newMessage(text))
      expect((await store.listMessages(conversationId, { limit: 10 })).map(({ text }) => text)).toEqual(texts)
    })
  })

  describe('each field of a message', () => {
    it.each([
      ['text', (text: string) => ({ text })],
      ['quickReplies', (text: string) => ({ quickReplies: [text] })],
      ['sender', (text: string) => ({ sender: { name: text, avatar: text } })],
      ['sources', (text: string) => ({ sources: [{ title: text, url: text }] })],
      [
        'attachments',
        (text: string) => ({
          attachments: [{ id: randomUUID(), type: 'text/plain', size: 1, name: text }] satisfies Attachment[],
        }),
      ],
    ])('%s is stored if it has a NUL or an unpaired surrogate, with a replacement character', async (name, fieldOf) => {
      const { store, ours } = await start()
      const { conversationId, hash } = await signIn(store, ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      await store.leaseTurns('me', at(4), at(10), 1000)
      const reply = newMessage('Hi', { author: 'bot', ...fieldOf('a\0b\ud800') })
      const stored = await store.endTurn(conversationId, 'me', { reply })
      const [, found] = await store.listMessages(conversationId, { limit: 9 })
      expect(found).toEqual(stored)
      expect(JSON.stringify(found)).toContain('"a\ufffdb\ufffd"')
      expect(Object.keys(found ?? {})).toContain(name)
    })

    it('context is stored so, too', async () => {
      const { store, ours } = await start()
      const { conversationId, hash } = await signIn(store, ours)
      await store.appendVisitorMessage(hash, { ...newMessage('hello'), claimed: { plan: 'a\0b\ud800' } })
      const [found] = await store.listMessagesWithContext(conversationId, { limit: 9 })
      expect(found?.context?.claimed).toEqual({ plan: 'a\ufffdb\ufffd' })
    })
  })

  describe('markRead', () => {
    it('moves only forward and never beyond the last message', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      for (const text of 'abc') await store.appendVisitorMessage(hash, newMessage(text))
      expect(await store.markRead(hash, 2, at(4))).toBe(2)
      expect(await store.markRead(hash, 1, at(4))).toBe(2)
      expect(await store.markRead(hash, Number.MAX_SAFE_INTEGER, at(4))).toBe(3)
      expect((await store.findConversation(conversationId))?.readSeq).toBe(3)
      expect(await store.markRead(hash, 3, at(1000))).toBe('ended')
    })

    it('counts messages of others after the last read one as unread', async () => {
      const { store, ours } = await start()
      const { scope, hash, conversationId } = await signIn(store, ours)
      const which = { contactId: scope.contactId, newConversationId: randomUUID() }
      const write = async (...authors: ('agent' | 'visitor')[]) => {
        for (const author of authors) {
          if (author === 'visitor') await store.appendVisitorMessage(hash, newMessage('hello'))
          else await store.appendAgentMessage(ours, which, newMessage('hi', { author }), null)
        }
      }
      const unread = async () => {
        const [listed] = (await store.listConversations(ours, { limit: 1 })) as Conversation[]
        const found = await store.findConversation(conversationId)
        expect(listed?.unread).toBe(found?.unread)
        return found?.unread
      }
      await write('agent', 'visitor', 'agent', 'agent')
      const repeated = newMessage('hi', { author: 'agent' })
      for (let index = 0; index < 2; index++) await store.appendAgentMessage(ours, which, repeated, null)
      expect(await unread()).toBe(4)
      const counts = []
      for (const seq of [1, 2, 1, 3, 3]) {
        await store.markRead(hash, seq, at(4))
        counts.push(await unread())
      }
      expect(counts).toEqual([3, 3, 3, 2, 2])
      await write('visitor')
      expect(await unread()).toBe(2)
      await store.markRead(hash, 99, at(4))
      await write('visitor', 'agent')
      expect(await unread()).toBe(1)
    })

    it('keeps the language that the widget showed last, which a repetition neither changes nor must repeat', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      const localeNow = async () => (await store.findConversation(conversationId))?.locale
      await store.appendVisitorMessage(hash, newMessage('hello'))
      expect(await localeNow()).toBeNull()
      const german = { ...newMessage('Guten Tag'), locale: 'de-AT' }
      expect(await store.appendVisitorMessage(hash, german)).not.toHaveProperty('message.locale')
      expect(await localeNow()).toBe('de-AT')
      await store.appendVisitorMessage(hash, newMessage('Hallo?'))
      expect(await localeNow()).toBe('de-AT')
      await store.appendVisitorMessage(hash, { ...newMessage('Bonjour'), locale: 'fr' })
      for (const again of [german, { ...german, locale: 'nl' }])
        expect(await store.appendVisitorMessage(hash, again)).toMatchObject({ repeated: true })
      expect(await localeNow()).toBe('fr')
    })

    it('counts messages that others have sent since as unread', async () => {
      const { store, ours } = await start()
      const { hash, conversationId, contact } = await signIn(store, ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      const [turn] = (await store.leaseTurns('me', at(4), at(9), 100)).filter(x => x.conversationId === conversationId)
      expect(turn?.attempt).toBe(1)
      await store.endTurn(conversationId, 'me', { reply: newMessage('hi', { author: 'bot' }) })
      const found = await store.findConversation(conversationId)
      expect(found).toEqual({
        id: conversationId,
        revision: 0,
        botId: ours.botId,
        contact: { id: contact.id, name: 'Ada' },
        lastSeq: 2,
        readSeq: 0,
        unread: 1,
        locale: null,
      })
      await store.markRead(hash, 2, at(5))
      expect((await store.findConversation(conversationId))?.unread).toBe(0)
    })
  })

  describe('sweep', () => {
    it('returns which sessions have ended, and why', async () => {
      const { store, ours } = await start()
      const [live, ended] = [await signIn(store, ours), await signIn(store, ours, 'Grace')]
      const expired = newSession({ expiresAt: at(20) })
      await store.createVisitorSession(ours.botId, expired)
      await store.endSession(ours.botId, ended.hash, 'revoked', at(5))
      const hashes = [live.hash, ended.hash, expired.hash]
      const result = await store.sweep({ conversations: [], hashes, now: at(20) })
      const reasons = result.ended.map(({ hash, reason, conversationId }) => [hash, reason, conversationId])
      expect(reasons).toHaveLength(2)
      expect(reasons).toContainEqual([ended.hash, 'revoked', ended.conversationId])
      expect(reasons).toContainEqual([expired.hash, 'expired', expired.conversationId])
    })

    it('returns the conversations that have new messages since the given positions', async () => {
      const { store, ours } = await start()
      const [written, read, still] = [
        await signIn(store, ours),
        await signIn(store, ours, 'Grace'),
        await signIn(store, ours, 'Alan'),
      ]
      for (const { hash } of [written, read, still]) await store.appendVisitorMessage(hash, newMessage('hello'))
      await store.markRead(read.hash, 1, at(5))
      const known = (conversationId: string, lastSeq: number) => ({
        id: conversationId,
        lastSeq,
        readSeq: 0,
        revision: 0,
      })
      const { conversations } = await store.sweep({
        conversations: [
          known(written.conversationId, 0),
          known(read.conversationId, 1),
          known(still.conversationId, 1),
        ],
        hashes: [],
        now: at(20),
      })
      expect(conversations).toHaveLength(2)
      expect(conversations).toContainEqual({ id: written.conversationId, lastSeq: 1, readSeq: 0, revision: 0 })
      expect(conversations).toContainEqual({ id: read.conversationId, lastSeq: 1, readSeq: 1, revision: 0 })
    })

    it('returns nothing for an empty list', async () => {
      const { store } = await start()
      const nothing = { conversations: [], ended: [] }
      expect(await store.sweep({ conversations: [], hashes: [], now: at(1) })).toEqual(nothing)
    })
  })
}
