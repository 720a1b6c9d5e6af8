import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { DeskView } from '../../../contract/desk.ts'
import { deskViews } from '../../../contract/deskLimits.ts'
import type { Actor, BotScope, Store } from '../../store/store.ts'
import {
  at,
  collectEvents,
  hoursLater,
  joinDesk,
  newAnswer,
  newHash,
  signIn,
  storeTests,
  visit,
  waitingEvents,
} from './storeTenants.ts'

export function describeDesk(open: () => Promise<Store>): void {
  const it = storeTests(open)
    .extend('nora', ({ store, ours }) => joinDesk(store, ours.organizationId))
    .extend('omar', ({ store, ours }) => joinDesk(store, ours.organizationId, { name: 'Omar' }))
    /** What members do in Ada's conversation. */
    .extend('desk', ({ store, ours, ada }) => ({
      ...deskIn(store, ours, ada.conversationId),
      ask: (time: number) => store.requestHandover(ada.hash, { at: at(time), timeoutMs: 90_000 }),
    }))
    /** Our bot, where only people answer. */
    .extend('team', async ({ store, ours }) => store.updateBot(ours.botId, { responder: { kind: 'none' } }))

  describe('states', () => {
    it('begin with the responder, which is silent from a handover or a reply until somebody hands back', async ({
      ada,
      desk,
      nora,
    }) => {
      await ada.send()
      expect(await desk.status()).toEqual({ state: 'bot', assignee: null, waitingSince: null, pausedUntil: null })
      expect(await ada.dueTurns(at(4))).toHaveLength(1)
      await desk.ask(5)
      expect(await desk.status()).toMatchObject({ state: 'waiting', waitingSince: at(5), pausedUntil: at(95) })
      await desk.reply(nora, 'Nora here', { at: at(6) })
      const owned = { state: 'open', assignee: { id: nora.id, name: 'Nora' }, waitingSince: null, pausedUntil: null }
      expect(await desk.status()).toEqual(owned)
      await ada.send('thanks', { createdAt: at(500) })
      expect(await desk.status()).toEqual(owned)
      expect(await ada.dueTurns(at(501))).toEqual([])
      await desk.change('handed_back', nora, at(502))
      expect(await desk.status()).toMatchObject({ state: 'bot', assignee: null })
      expect(await ada.said()).toEqual(['hello', 'handover_requested', 'Nora here', 'thanks', 'handed_back'])
      await ada.send('and now?', { createdAt: at(503) })
      expect(await ada.dueTurns(at(504))).toHaveLength(1)
    })

    it('wait from the first message on where only people answer, and close when an answer is handed back', async ({
      ada,
      desk,
      nora,
      team: _,
    }) => {
      await ada.send('one', { createdAt: at(3) })
      await ada.send('two', { createdAt: at(4) })
      expect(await desk.status()).toMatchObject({ state: 'waiting', waitingSince: at(3) })
      await desk.claim(nora)
      await desk.change('handed_back', nora, at(6))
      expect(await desk.status()).toMatchObject({ state: 'waiting', waitingSince: at(6) })
      await desk.reply(nora, 'yes?', { at: at(7) })
      await desk.change('handed_back', nora, at(8))
      expect(await desk.status()).toMatchObject({ state: 'closed', assignee: null })
      expect(await ada.said()).toEqual(['one', 'two', 'yes?'])
    })

    it('are open while the organization answers by itself, whose pause ends without a word', async ({
      store,
      ada,
      desk,
    }) => {
      await ada.send()
      await ada.answer(newAnswer('The shop here', { createdAt: at(5) }), at(90))
      expect(await desk.status()).toMatchObject({ state: 'open', assignee: null, pausedUntil: at(90) })
      await store.expirePauses(at(89), 1000)
      expect(await desk.status()).toMatchObject({ state: 'open' })
      await store.expirePauses(at(90), 1000)
      expect(await desk.status()).toMatchObject({ state: 'bot', pausedUntil: null })
      expect(await ada.said()).toEqual(['hello', 'The shop here'])
    })

    it('stay with the owner when the organization answers, too', async ({ store, ada, desk, nora }) => {
      await ada.send()
      await desk.claim(nora)
      await ada.answer(newAnswer('The shop here', { createdAt: at(5) }), at(90))
      await store.expirePauses(at(100), 1000)
      expect(await desk.status()).toMatchObject({ state: 'open', assignee: { name: 'Nora' }, pausedUntil: null })
      await ada.send('who?', { createdAt: at(101) })
      expect(await ada.dueTurns(at(102))).toEqual([])
    })

    it('close once, which ends the reply, until the visitor writes', async ({ store, ada, desk, nora }) => {
      await ada.send()
      const [turn] = await store.leaseTurns('me', at(4), at(99), 1000)
      expect(await desk.change('closed', nora, at(5))).toBe(ada.conversationId)
      expect(await desk.change('closed', nora, at(6))).toBeNull()
      expect(await store.endTurn(turn?.conversationId ?? '', 'me', { reply: newAnswer('late') })).toBe('lost')
      expect(await ada.said()).toEqual(['hello'])
      expect(await desk.status()).toEqual({ state: 'closed', assignee: null, waitingSince: null, pausedUntil: null })
      await ada.send('one more thing', { createdAt: at(7) })
      expect(await desk.status()).toMatchObject({ state: 'bot' })
      expect(await ada.dueTurns(at(8))).toHaveLength(1)
    })

    it('do not close over what the visitor has written since, or its wish for a person', async ({
      ada,
      desk,
      nora,
    }) => {
      await ada.send('thanks')
      await desk.reply(nora, 'bye')
      await ada.send('wait', { createdAt: at(7) })
      expect(await desk.change('closed', nora, at(8), 2)).toBeNull()
      expect(await desk.status()).toMatchObject({ state: 'open' })
      expect((await desk.notes()).map(({ event }) => event)).toEqual(['claimed'])
      expect(await desk.change('closed', nora, at(9), 3)).toBe(ada.conversationId)
      await desk.ask(10)
      expect(await desk.change('closed', nora, at(11), 3)).toBeNull()
    })

    it('reopen for nobody, and only if closed', async ({ ada, desk, nora }) => {
      await ada.send()
      await desk.claim(nora)
      expect(await desk.change('reopened', nora, at(5))).toBeNull()
      await desk.change('closed', nora, at(6))
      expect(await desk.change('reopened', nora, at(7))).toBe(ada.conversationId)
      expect(await desk.status()).toMatchObject({ state: 'bot', assignee: null })
    })

    it('lets a visitor who waits already ask for a person where only people answer', async ({
      store,
      ours,
      ada,
      desk,
      team: _,
    }) => {
      await collectEvents(store, ours)
      await ada.send()
      expect(await desk.ask(5)).toBe('requested')
      expect(await desk.ask(6)).toBe('paused')
      // It does not lose its place in the line.
      expect(await desk.status()).toMatchObject({ state: 'waiting', waitingSince: at(3) })
      const types = (await waitingEvents(store, ours)).map(({ type }) => type)
      expect(types).toEqual(['conversation.created', 'message.created', 'handover.requested'])
    })
  })

  describe('claimConversation', () => {
    it('lets one of two who claim at the same moment win', async ({ ada, desk, nora, omar }) => {
      await ada.send()
      const results = await Promise.all([desk.claim(nora), desk.claim(omar)])
      expect(results.toSorted()).toEqual(['claimed', 'claimed_by_other'])
      const winner = results[0] === 'claimed' ? nora : omar
      expect(await desk.status()).toMatchObject({ state: 'open', assignee: { id: winner.id } })
      expect((await desk.notes()).map(({ author, event }) => [author.id, event])).toEqual([[winner.id, 'claimed']])
    })

    it('takes over from the owner that the member knows, from no other, and once', async ({
      ada,
      desk,
      nora,
      omar,
    }) => {
      await ada.send()
      expect(await desk.claim(nora)).toBe('claimed')
      expect(await desk.claim(nora)).toBe('claimed')
      expect(await desk.claim(omar, randomUUID())).toBe('claimed_by_other')
      expect(await desk.claim(omar, nora.id)).toBe('claimed')
      expect(await desk.status()).toMatchObject({ assignee: { name: 'Omar' } })
      expect(await desk.notes()).toHaveLength(2)
    })

    it('ends the turn of the responder', async ({ ada, desk, nora }) => {
      await ada.send()
      await desk.claim(nora)
      expect(await ada.dueTurns(at(9))).toEqual([])
    })

    it('gives nothing to a member who was removed', async ({ store, ada, desk, nora }) => {
      await ada.send()
      await store.removeMember(nora, null, { at: at(4), timeoutMs: 86_000 })
      expect([await desk.claim(nora), await desk.reply(nora, 'hello')]).toEqual(['not_found', 'not_found'])
      expect(await desk.status()).toMatchObject({ state: 'bot' })
    })

    it('gives nothing to a member who does not see the bot any more', async ({ store, sibling, ada, desk, nora }) => {
      await ada.send()
      const limited = { ...nora, role: 'agent' as const, botIds: [sibling.botId] }
      await store.updateMember(limited, nora, { at: at(4), timeoutMs: 86_000 })
      expect([await desk.claim(nora), await desk.reply(nora, 'hello')]).toEqual(['not_found', 'not_found'])
      expect(await desk.status()).toMatchObject({ state: 'bot' })
    })
  })

  describe('appendReply', () => {
    it('stores the message once, however often it is sent', async ({ store, ours, ada, desk, nora }) => {
      await collectEvents(store, ours, { authors: 'all' })
      await ada.send()
      const id = randomUUID()
      const first = await desk.reply(nora, 'hello Ada', { id })
      expect(first).toMatchObject({ repeated: false, message: { seq: 2, author: 'agent', sender: { name: 'Nora' } } })
      expect(await desk.reply(nora, 'hello Ada', { id })).toEqual({ ...Object(first), repeated: true })
      expect(await desk.reply(nora, 'hello Bob', { id })).toBe('reused')
      expect(await ada.said()).toEqual(['hello', 'hello Ada'])
      expect((await desk.notes()).map(({ event }) => event)).toEqual(['claimed'])
      expect(await waitingEvents(store, ours)).toHaveLength(3)
    })

    it('is repeated also if another member owns the conversation meanwhile', async ({ ada, desk, nora, omar }) => {
      await ada.send()
      const id = randomUUID()
      await desk.reply(nora, 'hello', { id })
      await desk.claim(omar, nora.id)
      expect(await desk.reply(nora, 'hello', { id })).toMatchObject({ repeated: true })
    })

    it('loses against another member who claims at the same moment, or wins', async ({ ada, desk, nora, omar }) => {
      await ada.send()
      const [claimed, replied] = await Promise.all([desk.claim(omar), desk.reply(nora, 'hello')])
      const winner = claimed === 'claimed' ? 'Omar' : 'Nora'
      expect(replied === 'claimed_by_other' ? 'Omar' : 'Nora').toBe(winner)
      expect(await desk.status()).toMatchObject({ assignee: { name: winner } })
    })

    it('asks a member who does not know the latest answer of a colleague or of the organization', async ({
      store,
      ours,
      ada,
      desk,
      nora,
    }) => {
      const namesake = await joinDesk(store, ours.organizationId, { name: nora.name })
      await ada.send()
      await desk.reply(namesake, 'It is the other Nora')
      await desk.change('closed', namesake, at(5))
      expect(await desk.reply(nora, 'hello', { knownSeq: 1 })).toBe('answered_meanwhile')
      expect(await desk.status()).toMatchObject({ state: 'closed' })
      expect(await desk.reply(nora, 'hello', { knownSeq: 2 })).toMatchObject({ repeated: false })
      // Her own reply is known to her.
      expect(await desk.reply(nora, 'and welcome', { knownSeq: 2 })).toMatchObject({ repeated: false })
      await ada.answer(newAnswer('The shop here', { createdAt: at(6) }), at(90))
      expect(await desk.reply(nora, 'again', { knownSeq: 4 })).toBe('answered_meanwhile')
      expect(await ada.said()).toEqual(['hello', 'It is the other Nora', 'hello', 'and welcome', 'The shop here'])
    })
  })

  describe('notes', () => {
    it('stand after the message before them, in their order, and are stored once', async ({
      store,
      ours,
      ada,
      desk,
      nora,
      omar,
    }) => {
      await ada.send()
      const id = randomUUID()
      const note = await desk.note(nora, 'a VIP', id)
      expect(note).toEqual({
        ...{ id, number: 1, afterSeq: 1, text: 'a VIP', createdAt: at(5) },
        author: { id: nora.id, name: 'Nora' },
      })
      expect(await desk.note(nora, 'a VIP', id)).toEqual(note)
      expect(await desk.note(nora, 'another', id)).toBe('reused')
      expect(await desk.note(omar, 'a VIP', id)).toBe('reused')
      await desk.reply(nora, 'hello')
      await desk.note(omar, 'I know her')
      expect(
        (await desk.notes()).map(({ number, afterSeq, text, event }) => [number, afterSeq, event ?? text]),
      ).toEqual([
        [1, 1, 'a VIP'],
        // The reply with the seq 2 has claimed it.
        [2, 1, 'claimed'],
        [3, 2, 'I know her'],
      ])
      const { conversationId } = ada
      const before = await store.listNotes(conversationId, { fromSeq: 0, toSeq: 1 })
      expect(before.map(({ number }) => number)).toEqual([1, 2])
      const since = { after: 1, revision: 0, notes: 2 }
      const changes = await store.listConversationChanges(conversationId, since)
      expect(changes).toMatchObject({ messages: [{ seq: 2 }], changes: [], notes: [{ number: 3 }] })
      expect(await store.appendNote({ ...ours, botId: randomUUID() }, conversationId, nora, newNote())).toBe(
        'not_found',
      )
    })

    it('name the author after the author has left', async ({ store, ada, desk, nora }) => {
      await ada.send()
      await desk.note(nora, 'a VIP')
      await store.removeMember(nora, null, { at: at(6), timeoutMs: 84_000 })
      expect((await desk.notes()).map(({ author }) => author.name)).toEqual(['Nora'])
    })

    it('are erased with the contact, and with the messages when these are purged', async ({
      store,
      ours,
      ada,
      desk,
      nora,
    }) => {
      const other = await signIn(store, ours, 'Grace')
      const desks = [desk, deskIn(store, ours, other.conversationId)]
      for (const [index, visitor] of [ada, other].entries()) {
        await visitor.send()
        await desks[index]?.note(nora, 'a VIP')
        await store.keepDraft(nora.id, visitor.conversationId, { reply: 'dear' })
      }
      await store.deleteContact(ada.scope, at(6))
      await store.purge({ now: at(100), endedBefore: at(0), lastMessageBefore: at(50) })
      for (const { conversationId } of [ada, other]) {
        expect(await store.listNotes(conversationId, { fromSeq: 0, toSeq: 99 })).toEqual([])
        expect(await store.findDrafts(nora.id, conversationId)).toMatchObject({ reply: '', note: '' })
        expect(await store.findDeskConversation(conversationId)).toBeNull()
      }
      // Their numbers are not used again: a page may still show the first one.
      await other.send('back again', { createdAt: at(101) })
      expect(await desks[1]?.note(nora, 'still a VIP')).toMatchObject({ number: 2 })
    })

    it('are not stored where a purge has been and does not come again, nor are drafts', async ({
      store,
      ada,
      desk,
      nora,
    }) => {
      await ada.send()
      await store.purge({ now: at(100), endedBefore: at(0), lastMessageBefore: at(50) })
      await store.keepDraft(nora.id, ada.conversationId, { reply: 'dear' })
      expect([await desk.note(nora, 'a VIP'), await desk.claim(nora)]).toEqual(['not_found', 'not_found'])
      expect(await desk.notes()).toEqual([])
      expect(await store.findDrafts(nora.id, ada.conversationId)).toMatchObject({ reply: '', note: '' })
    })
  })

  describe('keepDraft', () => {
    it('keeps both drafts apart, for each member', async ({ store, ada, nora, omar }) => {
      await ada.send()
      const { conversationId } = ada
      const drafts = (member: Actor) => store.findDrafts(member.id, conversationId)
      await store.keepDraft(nora.id, conversationId, { reply: 'dear', knownSeq: 2 })
      await store.keepDraft(nora.id, conversationId, { note: 'hm' })
      await store.keepDraft(nora.id, conversationId, { reply: 'dear Ada\0' })
      expect([await drafts(nora), await drafts(omar)]).toEqual([
        { reply: 'dear Ada\ufffd', note: 'hm', knownSeq: 2 },
        { reply: '', note: '', knownSeq: 0 },
      ])
      await store.keepDraft(nora.id, conversationId, { reply: '' })
      expect(await drafts(nora)).toEqual({ reply: '', note: 'hm', knownSeq: 2 })
    })

    it('keeps none of a conversation that is gone', async ({ store, nora }) => {
      const id = randomUUID()
      await store.keepDraft(nora.id, id, { reply: 'dear' })
      expect(await store.findDrafts(nora.id, id)).toMatchObject({ reply: '', note: '' })
    })
  })

  describe('releaseConversations', () => {
    it('lets those wait whose owner is away, if the visitor has written last', async ({
      store,
      ours,
      ada,
      desk,
      nora,
      omar,
    }) => {
      const [grace, linus] = [await signIn(store, ours, 'Grace'), await signIn(store, ours, 'Linus')]
      for (const visitor of [ada, grace, linus]) await visitor.send()
      await deskIn(store, ours, linus.conversationId).claim(omar)
      await deskIn(store, ours, grace.conversationId).reply(nora, 'hello')
      await desk.claim(nora)
      await store.touchMember(nora.id, { isAway: false, at: at(10) })
      await store.touchMember(omar.id, { isAway: false, at: at(30) })
      await ada.send('are you there?', { createdAt: at(11) })
      const own = async (away: string) =>
        (await store.releaseConversations(away, { at: at(20), timeoutMs: 70_000 }, 1000)).filter(
          ({ botId }) => botId === ours.botId,
        )
      expect(await own(at(10))).toEqual([])
      expect(await own(at(11))).toEqual([{ id: ada.conversationId, botId: ours.botId }])
      expect(await desk.status()).toMatchObject({ state: 'waiting', assignee: null, waitingSince: at(11) })
      expect((await desk.notes()).map(({ event }) => event)).toEqual(['claimed', 'released'])
      // Nobody answers but the team, until nobody has come.
      await ada.send('hello?', { createdAt: at(21) })
      expect(await ada.dueTurns(at(22))).toEqual([])
      await store.expirePauses(at(90), 1000)
      expect(await desk.status()).toMatchObject({ state: 'bot' })
      expect(await ada.said()).toEqual(['hello', 'are you there?', 'hello?', 'handover_expired'])
    })

    it('lets the visitor wait again who has asked for a person, and has read nothing of the owner since', async ({
      store,
      ours,
      ada,
      desk,
      nora,
    }) => {
      await ada.send()
      await desk.ask(6)
      await desk.claim(nora)
      await store.touchMember(nora.id, { isAway: false, at: at(10) })
      const released = await store.releaseConversations(at(11), { at: at(20), timeoutMs: 70_000 }, 1000)
      expect(released).toContainEqual({ id: ada.conversationId, botId: ours.botId })
      expect(await desk.status()).toMatchObject({ state: 'waiting', waitingSince: at(6) })
    })

    it('counts a reply as a sign of its owner', async ({ store, ada, desk, nora }) => {
      await ada.send()
      await desk.reply(nora, 'hello', { at: at(50) })
      await ada.send('thanks', { createdAt: at(51) })
      const release = (awaySince: string) =>
        store.releaseConversations(awaySince, { at: at(60), timeoutMs: 30_000 }, 1000)
      expect((await release(at(50))).map(({ id }) => id)).not.toContain(ada.conversationId)
      expect((await release(at(51))).map(({ id }) => id)).toContain(ada.conversationId)
    })

    it('lets all conversations of a member wait who is removed', async ({ store, ada, desk, nora }) => {
      await ada.send()
      await desk.reply(nora, 'hello')
      await store.removeMember(nora, null, { at: at(20), timeoutMs: 70_000 })
      expect(await desk.status()).toMatchObject({ state: 'waiting', assignee: null, waitingSince: at(20) })
    })

    it('counts the time in which people are there', async ({ store, ours, ada, desk, nora }) => {
      await store.updateBot(ours.botId, { hours: hoursLater })
      await ada.send()
      await desk.reply(nora, 'hello')
      await store.removeMember(nora, null, { at: at(20), timeoutMs: 60_000 })
      expect(await desk.status()).toMatchObject({ state: 'waiting', pausedUntil: at(660) })
    })

    it('lets the conversations of bots wait that their owner does not see any more', async ({
      store,
      ours,
      sibling,
      ada,
      desk,
      nora,
    }) => {
      await ada.send()
      await desk.reply(nora, 'hello')
      const update = (botIds: string[]) =>
        store.updateMember({ ...nora, role: 'agent', botIds }, nora, { at: at(20), timeoutMs: 70_000 })
      await update([ours.botId])
      expect(await desk.status()).toMatchObject({ state: 'open', assignee: { id: nora.id } })
      await update([sibling.botId])
      expect(await desk.status()).toMatchObject({ state: 'waiting', assignee: null, waitingSince: at(20) })
    })
  })

  describe('what nobody has seen', () => {
    it('is the message again whose visitor waits for somebody else than its owner', async ({
      store,
      ours,
      ada,
      desk,
      nora,
    }) => {
      await ada.send('one')
      await desk.claim(nora)
      await ada.send('two', { createdAt: at(11) })
      await store.markSeen(ours, ada.conversationId, 2, at(12))
      expect(await desk.found()).toMatchObject({ state: 'open', seenSeq: 2, unseen: 0 })
      await store.releaseConversations(at(13), { at: at(20), timeoutMs: 70_000 }, 1000)
      expect(await desk.found()).toMatchObject({ state: 'waiting', seenSeq: 1, unseen: 1 })
      await store.markSeen(ours, ada.conversationId, 2, at(21))
      expect(await desk.found()).toMatchObject({ state: 'waiting', seenSeq: 2, unseen: 0 })
    })

    it('is also the wish for a person', async ({ store, ours, ada, desk }) => {
      await ada.send('one')
      await store.markSeen(ours, ada.conversationId, 1, at(5))
      await desk.ask(6)
      expect(await desk.found()).toMatchObject({ state: 'waiting', unseen: 1 })
    })
  })

  describe('listDeskConversations', () => {
    it('has each view in its order, page by page, of some bots and no others', async ({
      store,
      ours,
      sibling,
      nora,
      omar,
    }) => {
      const begin = async (scope: BotScope, seconds: number) => {
        const visitor = await visit(store, scope)
        await visitor.send('hello', { createdAt: at(seconds) })
        const { conversationId } = visitor
        const ask = (time: number) => store.requestHandover(visitor.hash, { at: at(time), timeoutMs: 90_000 })
        return { ...deskIn(store, scope, conversationId), id: conversationId, ask, answer: visitor.answer }
      }
      const [a, b, c, d, e, f] = [
        await begin(ours, 10),
        await begin(sibling, 11),
        await begin(ours, 12),
        await begin(sibling, 13),
        await begin(ours, 14),
        await begin(ours, 15),
      ]
      await c.ask(21)
      await b.ask(20)
      await d.reply(nora, 'hello', { at: at(22) })
      await a.answer(newAnswer('hello', { createdAt: at(23) }), at(999))
      await f.change('closed', nora, at(24))
      const botIds = [ours.botId, sibling.botId]
      const list = async (view: DeskView, ids = botIds, member: Actor = nora) => {
        const filter = { view, botIds: ids, memberId: member.id }
        const pages = []
        for (let after: { at: string; id: string } | undefined; ; ) {
          const [row] = await store.listDeskConversations(filter, { ...(after && { after }), limit: 1 })
          if (!row) break
          pages.push(row)
          after = { at: (view === 'waiting' && row.waitingSince) || row.lastMessageAt, id: row.id }
        }
        expect(await store.listDeskConversations(filter, { limit: 99 })).toEqual(pages)
        return pages.map(({ id }) => id)
      }
      expect({
        waiting: await list('waiting'),
        mine: await list('mine'),
        unassigned: await list('unassigned'),
        bot: await list('bot'),
        closed: await list('closed'),
        all: await list('all'),
      }).toEqual({
        waiting: [b.id, c.id],
        mine: [d.id],
        unassigned: [a.id, c.id, b.id],
        bot: [e.id],
        closed: [f.id],
        all: [a.id, d.id, c.id, b.id, f.id, e.id],
      })
      expect(await list('all', [sibling.botId])).toEqual([d.id, b.id])
      expect([await list('mine', [ours.botId]), await list('mine', botIds, omar)]).toEqual([[], []])
      const counts = { waiting: 2, mine: 1, unassigned: 3, bot: 1, closed: 1, all: 6 }
      expect(await store.listDeskCounts({ botIds, memberId: nora.id })).toEqual(counts)
      const none = Object.fromEntries(deskViews.map(view => [view, 0]))
      expect(await store.listDeskCounts({ botIds: [], memberId: nora.id })).toEqual(none)
    })

    it('shows a conversation as the desk needs it', async ({ store, ours, ada, desk, nora }) => {
      await ada.send('one')
      await ada.send('two', { createdAt: at(4), claimed: { plan: 'free' } })
      await store.markSeen(ours, ada.conversationId, 1, at(5))
      const [row] = await store.listDeskConversations(
        { view: 'all', botIds: [ours.botId], memberId: nora.id },
        { limit: 9 },
      )
      expect(row).toEqual({
        ...{ id: ada.conversationId, botId: ours.botId, version: expect.any(Number), state: 'bot', assignee: null },
        ...{ contact: { id: ada.contact.id, name: 'Ada' }, waitingSince: null, pausedUntil: null, createdAt: at(2) },
        ...{ readSeq: 0, seenSeq: 1, unseen: 1 },
        lastMessage: (await ada.messages())[1],
        lastMessageAt: at(4),
      })
      expect(await desk.found()).toEqual(row)
      await desk.ask(6)
      // What was said last says more than the event.
      expect(await desk.found()).toMatchObject({ lastMessage: { text: 'two' }, lastMessageAt: at(6) })
    })
  })

  it('every change raises the version and the time of the change', async ({ store, ours, ada, desk, nora, omar }) => {
    await ada.send('one', { createdAt: at(10) })
    const { conversationId } = ada
    const which = { conversationId }
    const seen = () => store.markSeen(ours, conversationId, 1, at(18))
    const id = async (seq: number) => (await ada.messages())[seq - 1]?.id ?? ''
    const changes: [string, () => Promise<unknown>][] = [
      [at(11), () => ada.send('two', { createdAt: at(11) })],
      [at(12), () => desk.ask(12)],
      [at(13), () => desk.reply(nora, 'three', { at: at(13) })],
      [at(14), () => store.markRead(ada.hash, 4, at(14))],
      [at(15), async () => store.rateMessage(ada.hash, await id(4), 'up', at(15))],
      [at(16), async () => store.deleteMessage(ours, which, await id(1), at(16))],
      [at(17), () => desk.note(omar, 'a VIP', randomUUID(), at(17))],
      [at(18), seen],
      [at(19), () => desk.claim(omar, nora.id, at(19))],
      [at(20), () => desk.change('handed_back', omar, at(20))],
      [at(21), () => desk.change('closed', omar, at(21))],
      [at(22), () => desk.change('reopened', omar, at(22))],
      [at(23), () => ada.answer(newAnswer('four', { createdAt: at(23) }), at(30))],
      [at(30), () => store.expirePauses(at(30), 1000)],
    ]
    let version = (await desk.found())?.version ?? 0
    for (const [time, change] of changes) {
      await change()
      const [changed] = await store.listChangedDeskConversations([ours.botId], at(10), 9)
      expect(changed).toEqual({ changedAt: time, conversation: await desk.found() })
      expect(changed?.conversation.version).toBeGreaterThan(version)
      version = changed?.conversation.version ?? 0
    }
    for (const harmless of [
      seen,
      () => store.markRead(ada.hash, 1, at(40)),
      () => desk.change('reopened', omar, at(41)),
    ])
      await harmless()
    expect(await store.listChangedDeskConversations([ours.botId], at(30), 9)).toEqual([])
    expect((await desk.found())?.version).toBe(version)
  })

  it('the person is known by the site, and by what the page says', async ({ store, ada, visitor }) => {
    await store.setContactAttributes(ada.scope, { plan: 'pro' })
    await ada.send('one', { claimed: { plan: 'free' }, locale: 'nb' })
    await ada.answer(newAnswer())
    const nothing = {
      ...{ contact: null, signedInSince: null, isBlocked: false, verified: {}, claimed: {}, locale: null },
      email: null,
    }
    const ratings = { up: 0, down: 0, last: null }
    expect(await store.findPerson(ada.conversationId, at(9))).toEqual({
      ...{ contact: ada.contact, signedInSince: ada.createdAt, isBlocked: false, ratings },
      ...{ verified: { plan: 'pro' }, claimed: { plan: 'free' }, locale: 'nb', email: null },
    })
    expect(await store.findPerson(visitor.conversationId, at(9))).toEqual({ ...nothing, ratings })
    expect(await store.findPerson(newHash(), at(9))).toBeNull()
    await store.endContactSessions(ada.scope, 'revoked', at(9))
    expect(await store.findPerson(ada.conversationId, at(10))).toMatchObject({ signedInSince: null })
  })

  it('a guest is blocked when its session has ended so, which is no session of a contact', async ({
    store,
    ada,
    visitor,
  }) => {
    const { hash, conversationId } = visitor
    const ended = [{ hash, conversationId, reason: 'blocked' }]
    expect(await store.endGuestSession(conversationId, 'blocked', at(9))).toEqual(ended)
    expect(await store.endGuestSession(conversationId, 'blocked', at(10))).toEqual([])
    expect(await store.endGuestSession(ada.conversationId, 'blocked', at(9))).toEqual([])
    expect(await visitor.send()).toBe('ended')
    expect(await store.findPerson(conversationId, at(10))).toMatchObject({ isBlocked: true })
  })

  it('the person has rated answers, one of them last', async ({ store, ada }) => {
    const ids = ['one', 'two', 'three'].map(text => newAnswer(text))
    for (const answer of ids) await ada.answer(answer)
    const rate = (index: number, rating: 'up' | 'down' | null) =>
      store.rateMessage(ada.hash, ids[index]?.id ?? '', rating, at(9))
    const rated = async () => (await store.findPerson(ada.conversationId, at(9)))?.ratings
    await rate(2, 'up')
    await rate(1, 'up')
    await rate(0, 'down')
    expect(await rated()).toEqual({ up: 2, down: 1, last: 'down' })
    await rate(0, null)
    expect(await rated()).toEqual({ up: 2, down: 0, last: 'up' })
  })

  it('messages are listed with their context, and the revision that they have', async ({ store, ours, ada }) => {
    for (const text of ['one', 'two', 'three']) await ada.send(text, { claimed: { text } })
    const { conversationId } = ada
    await store.deleteMessage(ours, { conversationId }, (await ada.messages())[0]?.id ?? '', at(9))
    const page = await store.listMessagesForDesk(conversationId, { before: 3, limit: 9 })
    expect(page).toMatchObject({
      revision: 1,
      messages: [{ seq: 1 }, { seq: 2, context: { claimed: { text: 'two' } } }],
    })
  })
}

const newNote = (text = 'a VIP') => ({ id: randomUUID(), text, at: at(5) })

/** What members do in a conversation. */
function deskIn(store: Store, scope: BotScope, conversationId: string) {
  const found = () => store.findDeskConversation(conversationId)
  return {
    found,
    status: async () => {
      const { state, assignee, waitingSince, pausedUntil } = Object(await found())
      return { state, assignee, waitingSince, pausedUntil }
    },
    notes: () => store.listNotes(conversationId, { fromSeq: 0, toSeq: 999 }),
    claim: (member: Actor, from: string | null = null, time = at(5)) =>
      store.claimConversation(scope, conversationId, member, from, time),
    reply: (member: Actor, text: string, { id = randomUUID(), at: time = at(5), knownSeq = 99 } = {}) =>
      store.appendReply(
        scope,
        conversationId,
        member,
        newAnswer(text, { id, createdAt: time, sender: { name: member.name } }),
        knownSeq,
      ),
    note: (member: Actor, text: string, id = randomUUID(), time = at(5)) =>
      store.appendNote(scope, conversationId, member, { id, text, at: time }),
    change: async (change: 'handed_back' | 'closed' | 'reopened', actor: Actor, time: string, knownSeq?: number) => {
      const by = { at: time, actor, knownSeq }
      const result = await store.changeState(scope, { conversationId }, change, by)
      return typeof result === 'string' ? result : result.value
    },
  }
}
