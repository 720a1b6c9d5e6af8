import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { createFaqFinder } from '../responders/faqFinder.ts'
import { createTestTenants } from '../testing/testTenants.ts'
import { findGaps } from './contentGaps.ts'

const returns = { topic: 'Returns', heading: 'Returns', text: 'Send anything back within 30 days.' }

const tenants = await createTestTenants()
const { ours, store, clock } = tenants
afterAll(tenants.close)

const gaps = async (sections = [returns]) => {
  const bot = await store.findBot(ours.bot.id)
  if (!bot) throw new Error('The bot is gone')
  const found = await findGaps(store, bot, createFaqFinder({ sections }))
  return found.map(({ count, question }) => [count, question])
}

/** An answer of a person. */
const answer = (contactId: string) =>
  ours.call('POST', `/contacts/${contactId}/messages`, { json: { id: randomUUID(), text: 'Yes, line 4.' } })

describe('questions without an answer', () => {
  it('are counted by their words, the most frequent first, and answered ones are left out', async () => {
    const { sibling } = tenants
    const [ada, grace] = [await ours.visitorToken(), await ours.visitorToken()]
    for (const greeting of ['Hello!', 'How are you?', '👋']) await ours.send(ada, greeting)
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
    const giftCards = { topic: 'Gifts', heading: 'Gift cards', text: 'We sell gift cards.' }
    expect(await gaps([returns, giftCards])).toEqual([[1, 'Is there parking?']])
    const contact = await ours.createContact()
    const token = await ours.contactToken(contact.id)
    await ours.send(token, 'Is there parking?')
    expect(await gaps([returns, giftCards])).toEqual([[2, 'Is there parking?']])
    await answer(contact.id)
    expect(await gaps([returns, giftCards])).toEqual([[1, 'Is there parking?']])
  })

  it('are neither files, removed messages, nor buttons, nor what a person has answered after a handover', async () => {
    const before = await gaps()
    await store.updateBot(ours.bot.id, { handover: true })
    const contact = await ours.createContact()
    const token = await ours.contactToken(contact.id)
    const [id, file] = [randomUUID(), randomUUID()]
    await ours.call('PUT', `/widget/attachments/${file}`, { token, body: 'My order is late' })
    const json = { id: randomUUID(), attachments: [{ id: file, name: 'letter.txt' }] }
    expect((await ours.call('POST', '/widget/messages', { token, json })).status).toBe(201)
    await ours.send(token, 'My password is tulip', id)
    await ours.call('DELETE', `/contacts/${contact.id}/messages/${id}`)
    await ours.send(token, 'Try again')
    await ours.send(token, 'Talk to a person')
    await store.updateBot(ours.bot.id, { texts: { person: 'Ask Ada' } })
    await ours.send(token, 'Ask Ada')
    expect(await gaps()).toEqual(before)
    await ours.send(token, 'Which trains stop near you?')
    clock.advance(1000)
    expect((await ours.call('POST', '/widget/handover', { token })).status).toBe(204)
    await answer(contact.id)
    expect(await gaps()).toEqual(before)
    // The visitor has asked for a person, who has not come: the event is no answer.
    const waiting = await ours.visitorToken()
    await ours.send(waiting, 'Which trams stop near you?')
    expect((await ours.call('POST', '/widget/handover', { token: waiting })).status).toBe(204)
    expect(await gaps()).toContainEqual([1, 'Which trams stop near you?'])
  })

  it('cover more conversations and messages than one page of them', async () => {
    for (let visitor = 1; visitor <= 101; visitor++) await ours.send(await ours.visitorToken(), 'Any toys?')
    const token = await ours.visitorToken()
    for (let message = 1; message <= 101; message++) await ours.send(token, 'Any toys?')
    expect((await gaps())[0]).toEqual([202, 'Any toys?'])
  })
})
