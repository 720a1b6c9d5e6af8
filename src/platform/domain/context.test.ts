import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf, readEvents, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

const post = (token: string, json: object) => tenants.ours.call('POST', '/widget/messages', { token, json })
const put = (id: string, attributes: unknown, options = {}) =>
  tenants.ours.call('PUT', `/contacts/${id}/attributes`, { json: { attributes }, ...options })
const newest = () => dataOf(tenants.ours.call('GET', '/conversations?limit=1'))

it('the context of a message is shown to the organization and never to the visitor', async () => {
  const { ours, clock } = tenants
  const { id } = await ours.createContact()
  await put(id, { plan: 'secret-plan' })
  const token = await ours.contactToken(id)
  const live = await ours.events(token)
  const context = { cart: 3, 'page.path': '/secret-path' }
  const message = { id: randomUUID(), text: 'Hello', context }
  const nonce = 'a-nonce-of-22-letters_'
  clock.advance(1)
  const byPost = (path: string, json = {}) => ours.call('POST', path, { token, json: { nonce, ...json } })
  const responses = [
    await post(token, message),
    await post(token, message),
    await ours.call('GET', '/widget/messages', { token }),
    await byPost('/widget/messages/list'),
  ]
  const replayed = readEvents(await byPost('/widget/events/stream', { after: 0 }))
  const events = [await live.nextOf('message'), await replayed.nextOf('message')]
  const seen = [...(await Promise.all(responses.map(each => each.text()))), ...events.map(each => JSON.stringify(each))]
  for (const text of seen) {
    expect(text).toContain('Hello')
    expect(text).not.toMatch(/context|secret|claimed|verified/)
  }
  await live.cancel()
  const known = { context: { claimed: context, verified: { plan: 'secret-plan' } } }
  expect(await dataOf(ours.call('GET', `/contacts/${id}/messages`))).toMatchObject([{ text: 'Hello', ...known }])
  expect(await newest()).toMatchObject([{ lastMessage: known }])
})

it('the context holds nothing verified that the page has sent, and is refused with the key that is wrong', async () => {
  const token = await tenants.ours.visitorToken()
  const message = { id: randomUUID(), text: 'Trust me' }
  for (const [context, pointer] of [
    [{ claimed: { plan: 'pro' }, verified: { plan: 'pro' } }, '/context/claimed'],
    [{ plan: null }, '/context/plan'],
    [{ 'a b': 1 }, '/context/a b'],
    ['plan=pro', '/context'],
  ] as const) {
    const refused = await post(token, { ...message, context })
    expect((await refused.json()).errors[0], pointer).toMatchObject({ pointer })
    expect(refused.status).toBe(400)
  }
  expect(await tenants.ours.messages(token)).toEqual([])
  // Later than any other message, so that its conversation is the first.
  tenants.clock.advance(1)
  const forged = { verified: { plan: 'pro' }, context: { verified: true } }
  expect((await post(token, { ...message, ...forged })).status).toBe(201)
  const context = { claimed: { verified: true }, verified: {} }
  expect(await newest()).toMatchObject([{ lastMessage: { text: 'Trust me', context } }])
})

it("a contact's attributes are those of the last write, also when an earlier request is repeated", async () => {
  const { id } = await tenants.ours.createContact()
  const keyed = { headers: { 'idempotency-key': randomUUID() } }
  await put(id, { plan: 'free' }, keyed)
  await put(id, { plan: 'pro' })
  const replayed = await put(id, { plan: 'free' }, keyed)
  expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([204, 'true'])
  expect(await outcomeOf(put(id, { plan: 'gold' }, keyed))).toBe('422 idempotency_key_reused')
  const token = await tenants.ours.contactToken(id)
  expect(await outcomeOf(put(id, {}, { token }))).toBe('403 insufficient_scope')
  const read = tenants.ours.call('GET', `/contacts/${id}/attributes`)
  expect(await dataOf(read)).toEqual({ attributes: { plan: 'pro' } })
})
