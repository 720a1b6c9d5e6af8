import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf } from '../testing/testTenants.ts'

it('a rating reaches the open widgets and the organization, and can be changed and taken back', async () => {
  const { ours, store } = await createTestTenants()
  expect(await dataOf(ours.call('GET', '/widget', { token: '' }))).toMatchObject({ ratings: false })
  await store.updateBot(ours.bot.id, { ratings: true })
  const { id: contactId } = await ours.createContact()
  const token = await ours.contactToken(contactId)
  const answer = { id: randomUUID(), text: 'It is on its way.' }
  await ours.call('POST', `/contacts/${contactId}/messages`, { json: answer })
  const events = await ours.events(token)
  const rate = (id: string, rating: string | null, as = token) =>
    ours.call('POST', '/widget/rating', { token: as, json: { id, rating } })
  const read = () => dataOf(ours.call('GET', `/contacts/${contactId}/messages`))
  for (const [index, rating] of ['up', 'down'].entries()) {
    const change = { revision: index + 1, message: { ...answer, rating } }
    expect(await dataOf(rate(answer.id.toUpperCase(), rating))).toMatchObject(change)
    expect((await events.nextOf('message.changed')).data).toMatchObject(change)
    expect(await read()).toMatchObject([{ rating }])
  }
  await rate(answer.id, null)
  expect((await events.nextOf('message.changed')).data['message']).not.toHaveProperty('rating')
  expect(await read()).not.toMatchObject([{ rating: expect.anything() }])
  expect(await outcomeOf(rate(answer.id, 'up', await ours.visitorToken()))).toBe('404 not_found')
})
