import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findGaps } from '../cli/faqGaps.ts'
import { createFaqFinder } from '../responders/faqFinder.ts'
import type { Store } from '../store/store.ts'
import { createTestTenants, type TestTenants } from './testTenants.ts'

const returns = { topic: 'Returns', heading: 'Returns', text: 'Send anything back within 30 days.' }

/** The questions without an answer, on any store. `open` resolves to an empty one. */
export function describeFaqGaps(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let tenants: TestTenants
    beforeAll(async () => {
      tenants = await createTestTenants({ store: await open() })
    })
    afterAll(() => tenants.close())

    const gaps = async (sections = [returns]) => {
      const { id: botId, organizationId } = tenants.ours.bot
      const found = await findGaps(tenants.store, { organizationId, botId }, createFaqFinder(sections))
      return found.map(({ count, question }) => [count, question])
    }

    it('are counted by their words, the most frequent first, and answered ones are left out', async () => {
      const { ours, sibling, clock } = tenants
      const [ada, grace] = [await ours.visitorToken(), await ours.visitorToken()]
      await ours.send(ada, 'Hello!')
      await ours.send(ada, 'How can I return a jacket?')
      await ours.send(ada, 'Do you sell gift cards?')
      await ours.send(ada, 'Is there parking?')
      clock.advance(1000)
      await ours.send(grace, 'Gift cards: do you sell them?')
      await sibling.send(await sibling.visitorToken(), 'Who owns you?')
      expect(await gaps()).toEqual([
        [2, 'Gift cards: do you sell them?'],
        [1, 'Is there parking?'],
      ])
    })

    it('are gone as soon as the content has the answer, or a person has given it', async () => {
      const { ours } = tenants
      const giftCards = { topic: 'Gifts', heading: 'Gift cards', text: 'We sell gift cards.' }
      expect(await gaps([returns, giftCards])).toEqual([[1, 'Is there parking?']])
      const contact = await ours.createContact()
      const token = await ours.contactToken(contact.id)
      await ours.send(token, 'Is there parking?')
      expect(await gaps([returns, giftCards])).toEqual([[2, 'Is there parking?']])
      const message = { id: crypto.randomUUID(), text: 'Yes, behind the shop.' }
      await ours.call('POST', `/contacts/${contact.id}/messages`, { json: message })
      expect(await gaps([returns, giftCards])).toEqual([[1, 'Is there parking?']])
    })

    it('cover more conversations and messages than one page of them', async () => {
      const { ours } = tenants
      for (let visitor = 1; visitor <= 101; visitor++) await ours.send(await ours.visitorToken(), 'Any toys?')
      const token = await ours.visitorToken()
      for (let message = 1; message <= 101; message++) await ours.send(token, 'Any toys?')
      expect((await gaps())[0]).toEqual([202, 'Any toys?'])
    })
  })
}
