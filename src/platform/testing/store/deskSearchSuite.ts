import { describe, expect } from 'vitest'
import { normalizeQuery } from '../../search/searchNormalization.ts'
import type { BotScope, DeskListFilter, DeskSearchMatch, DeskSearchPlace, Store } from '../../store/store.ts'
import { at, joinDesk, newContact, newSession, signIn, smallLimits, storeTests, visit } from './storeTenants.ts'

/** All that a search finds, page by page, as the desk shows it: each conversation once, where it comes first. */
async function find(store: Store, scope: BotScope, query: string, filter: Partial<DeskListFilter> = {}, limit = 2) {
  const all: DeskListFilter = { view: 'all', botIds: [scope.botId], memberId: 'nobody', ...filter }
  const found = new Map<string, DeskSearchMatch>()
  let after: DeskSearchPlace | null = null
  do {
    const page = await store.searchConversations(scope, all, normalizeQuery(query), { ...(after && { after }), limit })
    expect(page.matches.length).toBeLessThanOrEqual(limit)
    for (const match of page.matches) if (!found.has(match.conversation.id)) found.set(match.conversation.id, match)
    after = page.next
  } while (after)
  return [...found.values()]
}
const findIds = async (...args: Parameters<typeof find>) =>
  (await find(...args)).map(({ conversation }) => conversation.id)

export function describeDeskSearch(open: () => Promise<Store>): void {
  const it = storeTests(open)

  describe('searchConversations', () => {
    it('finds what anybody has written, by all words in any order, without accents and case', async ({
      store,
      ours,
      visitor,
      ada,
    }) => {
      await visitor.send('Où est ma COMMANDE zx-81?')
      await ada.send('ma commande')
      await ada.answer()
      expect(await find(store, ours, 'zx-81 commandé')).toMatchObject([
        { conversation: { id: visitor.conversationId }, texts: ['Où est ma COMMANDE zx-81?'] },
      ])
      expect(await findIds(store, ours, 'commande')).toEqual([ada.conversationId, visitor.conversationId])
      expect(await findIds(store, ours, 'i help')).toEqual([ada.conversationId])
      expect(await findIds(store, ours, '100%')).toEqual([])
      expect(await findIds(store, ours, 'comm\0')).toEqual([])
    })

    it('finds the contact by what contact searches find, once for all its messages', async ({ store, ours }) => {
      const contact = newContact('Zoë Quist', { email: 'zq@shop.example', phone: '+44 20 7946', mid: 'customer-77' })
      await store.createContact(ours, contact)
      const session = newSession()
      await store.createContactSession(ours, { contactId: contact.id }, session)
      await store.appendVisitorMessage(session.hash, {
        id: session.conversationId,
        author: 'visitor',
        text: 'I am zoe',
        format: 'plain',
        createdAt: at(3),
      })
      for (const query of ['zoe', 'quist zoe', 'zq@shop', '(44) 20-79', 'customer-77'])
        expect(await findIds(store, ours, query)).toEqual([session.conversationId])
      expect((await find(store, ours, 'customer-77'))[0]?.texts).toContain('customer-77')
    })

    it('lists the latest match first, page by page, however many messages and contacts match', async ({
      store,
      ours,
    }) => {
      const ids: string[] = []
      for (let n = 0; n < 9; n++) {
        const person = n % 2 ? await visit(store, ours) : await signIn(store, ours, n % 4 ? 'Grace' : 'Hopper')
        ids.unshift(person.conversationId)
        for (const text of ['hopper', 'hello hopper', 'bye'])
          await person.send(n % 2 ? text : 'bye', { createdAt: at(10 + n) })
      }
      const expected = ids.filter((_, index) => index % 2 || index % 4 === 0)
      expect(await findIds(store, ours, 'hopper')).toEqual(expected)
      expect((await findIds(store, ours, 'hopper', {}, 30)).toSorted()).toEqual(expected.toSorted())
      for (let n = 0; n < 3; n++) await (await signIn(store, ours, 'Hopper')).send('bye', { createdAt: at(30 + n) })
      expect((await findIds(store, ours, 'hopper')).slice(3)).toEqual(expected)
    })

    it('finds nothing of other bots', async ({ store, ours, sibling, ada, foreignScopes }) => {
      await ada.send('commande')
      for (const query of ['commande', 'ada'])
        expect(
          await findIds(store, ours, query, { botIds: foreignScopes.slice(0, 2).map(({ botId }) => botId) }),
        ).toEqual([])
      expect(await findIds(store, ours, 'commande', { botIds: [sibling.botId, ours.botId] })).toEqual([
        ada.conversationId,
      ])
    })

    it('finds on the first page what others have written about more often since, and tells nothing of them', async ({
      store,
      ours,
      sibling,
      otherOrganization,
      visitor,
    }) => {
      await visitor.send('commande')
      for (const scope of [sibling, otherOrganization]) {
        const other = await visit(store, scope)
        for (let n = 0; n < smallLimits.messagesPerSearch; n++) await other.send('commande')
      }
      const filter: DeskListFilter = { view: 'all', botIds: [ours.botId], memberId: 'nobody' }
      const { matches, next } = await store.searchConversations(ours, filter, normalizeQuery('commande'), { limit: 2 })
      expect(matches.map(({ conversation }) => conversation.id)).toEqual([visitor.conversationId])
      expect(next).toBeNull()
    })

    it('finds nothing of what was removed, erased or purged', async ({ store, ours, ada, grace, visitor }) => {
      const sent = await ada.send('commande 1')
      await grace.send('commande 2')
      await visitor.send('commande 3')
      expect(await findIds(store, ours, 'commande')).toHaveLength(3)
      if (typeof sent === 'string') throw new Error(sent)
      await store.deleteMessage(ours, { conversationId: ada.conversationId }, sent.message.id, at(5))
      expect(await findIds(store, ours, 'commande')).toEqual([visitor.conversationId, grace.conversationId])
      await store.deleteContact(grace.scope, at(5))
      await store.purge({ now: at(2000), endedBefore: at(2000) })
      expect(await findIds(store, ours, 'commande')).toEqual([])
    })
  })

  it('restricts a list and a search by state, owner and time', async ({ store, ours, ada, grace, visitor }) => {
    const nora = await joinDesk(store, ours.organizationId)
    await ada.send('commande', { createdAt: at(10) })
    await grace.send('commande', { createdAt: at(20) })
    await visitor.send('commande', { createdAt: at(30) })
    const actor = { id: nora.id, name: 'Nora' }
    await store.claimConversation(ours, grace.conversationId, actor, null, at(40))
    await store.changeState(ours, { conversationId: visitor.conversationId }, 'closed', { at: at(41), actor })
    const rows: [filter: Partial<DeskListFilter>, people: { conversationId: string }[]][] = [
      [{}, [visitor, grace, ada]],
      [{ state: 'bot' }, [ada]],
      [{ state: 'open', owner: nora.id }, [grace]],
      [{ owner: '' }, []],
      [{ view: 'mine', memberId: nora.id }, [grace]],
      [{ since: at(20) }, [visitor, grace]],
      [{ view: 'closed', since: at(31) }, []],
    ]
    for (const [filter, people] of rows) {
      const all = { view: 'all' as const, botIds: [ours.botId], memberId: 'nobody', ...filter }
      const ids = people.map(({ conversationId }) => conversationId)
      expect((await store.listDeskConversations(all, { limit: 9 })).map(({ id }) => id)).toEqual(ids)
      expect(await findIds(store, ours, 'commande', filter)).toEqual(ids)
    }
  })
}
