import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf, readEvents } from '../testing/testTenants.ts'

async function start(hasRatings = true) {
  const tenants = await createTestTenants()
  const { ours } = tenants
  await tenants.store.updateBot(ours.bot.id, { ratings: hasRatings })
  const { id: contactId } = await ours.createContact()
  const token = await ours.contactToken(contactId)
  const answer = { id: randomUUID(), text: 'It is on its way.' }
  await ours.call('POST', `/contacts/${contactId}/messages`, { json: answer })
  const rate = (json: object, as = token) => ours.call('POST', '/widget/rating', { token: as, json })
  return { tenants, ours, token, contactId, answer, rate }
}

it('a rating reaches the open widgets and the organization, and can be changed and taken back', async () => {
  const { tenants, ours, token, contactId, answer, rate } = await start()
  const events = readEvents(await ours.call('GET', '/widget/events', { token }))
  const read = async () => dataOf(await ours.call('GET', `/contacts/${contactId}/messages`))
  for (const [index, rating] of (['up', 'down'] as const).entries()) {
    const change = { revision: index + 1, message: { id: answer.id, text: answer.text, rating } }
    expect(await dataOf(await rate({ id: answer.id.toUpperCase(), rating }))).toMatchObject(change)
    expect((await events.nextOf('message.changed')).data).toMatchObject(change)
    expect(await read()).toMatchObject([{ rating }])
  }
  expect((await rate({ id: answer.id, rating: null })).status).toBe(200)
  expect((await events.nextOf('message.changed')).data['message']).not.toHaveProperty('rating')
  expect(await read()).not.toMatchObject([{ rating: expect.anything() }])
  await events.cancel()
  await tenants.close()
})

it('an answer of another conversation, a message of the visitor and an unknown id are the one 404', async () => {
  const { tenants, ours, token, answer, rate } = await start()
  const question = randomUUID()
  await ours.send(token, 'Hello?', question)
  const stranger = await ours.visitorToken()
  for (const response of [
    await rate({ id: answer.id, rating: 'up' }, stranger),
    await rate({ id: question, rating: 'up' }),
    await rate({ id: randomUUID(), rating: 'up' }),
  ])
    expect(await outcomeOf(response)).toBe('404 not_found')
  for (const json of [{ id: answer.id }, { id: answer.id, rating: 'great' }, { id: 'x', rating: 'up' }])
    expect(await outcomeOf(await rate(json))).toBe('400 invalid_request')
  await tenants.close()
})

it('a bot without ratings, which is the default, has none to give and says so in its profile', async () => {
  const { tenants, ours, answer, rate } = await start(false)
  expect(await outcomeOf(await rate({ id: answer.id, rating: 'up' }))).toBe('404 not_found')
  expect(await dataOf(await ours.call('GET', '/widget', { token: '' }))).toMatchObject({ ratings: false })
  expect(await dataOf(await tenants.sibling.call('GET', '/widget', { token: '' }))).toMatchObject({ ratings: false })
  await tenants.close()
})
