import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf, readEvents, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

const post = (token: string, json: object) => tenants.ours.call('POST', '/widget/messages', { token, json })
const put = (id: string, attributes: unknown, headers = {}, testBot = tenants.ours) =>
  testBot.call('PUT', `/contacts/${id}/attributes`, { json: { attributes }, headers })
const get = (id: string, testBot = tenants.ours) => testBot.call('GET', `/contacts/${id}/attributes`)

describe('the context of a message', () => {
  it('is shown to the organization and never to the visitor', async () => {
    const { id } = await tenants.ours.createContact()
    await put(id, { plan: 'secret-plan' })
    const token = await tenants.ours.contactToken(id)
    const live = readEvents(await tenants.ours.call('GET', '/widget/events', { token }))
    const context = { cart: 3, 'page.path': '/secret-path' }
    const message = { id: randomUUID(), text: 'Hello' }
    tenants.clock.advance(1)
    const stored = await post(token, { ...message, context })
    const nonce = 'a-nonce-of-22-letters_'
    const seen = [
      await stored.text(),
      await (await post(token, { ...message, context })).text(),
      await (await tenants.ours.call('GET', '/widget/messages', { token })).text(),
      await (await tenants.ours.call('POST', '/widget/messages/list', { token, json: { nonce } })).text(),
      JSON.stringify(await live.nextOf('message')),
      JSON.stringify(
        await readEvents(
          await tenants.ours.call('POST', '/widget/events/stream', { token, json: { nonce, after: 0 } }),
        ).nextOf('message'),
      ),
    ]
    for (const text of seen) {
      expect(text).toContain('Hello')
      expect(text).not.toMatch(/context|secret|claimed|verified/)
    }
    await live.cancel()
    const known = { claimed: context, verified: { plan: 'secret-plan' } }
    const messages = await dataOf(await tenants.ours.call('GET', `/contacts/${id}/messages`))
    expect(messages).toMatchObject([{ text: 'Hello', context: known }])
    expect(await dataOf(await tenants.ours.call('GET', '/conversations?limit=1'))).toMatchObject([
      { lastMessage: { context: known } },
    ])
  })

  it('holds nothing verified that the page has sent', async () => {
    const token = await tenants.ours.visitorToken()
    const text = 'Trust me'
    const forged = { claimed: { plan: 'pro' }, verified: { plan: 'pro' } }
    expect(await outcomeOf(await post(token, { id: randomUUID(), text, context: forged }))).toBe('400 invalid_request')
    // Later than any other message, so that its conversation is the first.
    tenants.clock.advance(1)
    await post(token, { id: randomUUID(), text, verified: { plan: 'pro' }, context: { verified: true } })
    expect(await dataOf(await tenants.ours.call('GET', '/conversations?limit=1'))).toMatchObject([
      { lastMessage: { text, context: { claimed: { verified: true }, verified: {} } } },
    ])
  })

  it.each([
    [{ plan: null }, '/context/plan'],
    [{ 'a b': 1 }, '/context/a b'],
    ['plan=pro', '/context'],
  ])('is refused with an error that names the key, and stores nothing: %j', async (context, pointer) => {
    const token = await tenants.ours.visitorToken()
    const refused = await post(token, { id: randomUUID(), text: 'Hello', context })
    expect(await refused.json()).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ pointer }] })
    expect(await dataOf(await tenants.ours.call('GET', '/widget/messages', { token }))).toEqual([])
  })

  it('is not compared when a message is sent again', async () => {
    const token = await tenants.ours.visitorToken()
    const message = { id: randomUUID(), text: 'Hello' }
    expect((await post(token, { ...message, context: { cart: 3 } })).status).toBe(201)
    expect((await post(token, { ...message, context: { cart: 4 } })).status).toBe(200)
    expect((await post(token, message)).status).toBe(200)
  })
})

describe("a contact's attributes", () => {
  it('are replaced as a whole, and the contact keeps its eight keys and its time', async () => {
    const { id } = await tenants.ours.createContact()
    const before = await dataOf(await tenants.ours.call('GET', `/contacts/${id}`))
    tenants.clock.advance(1000)
    for (const attributes of [{ plan: 'pro', vip: true }, { cart: 3 }, {}]) {
      expect((await put(id, attributes)).status).toBe(204)
      expect(await dataOf(await get(id))).toEqual({ attributes })
    }
    expect(await dataOf(await tenants.ours.call('GET', `/contacts/${id}`))).toEqual(before)
  })

  it('are those of the last write, also when an earlier request is repeated', async () => {
    const { id } = await tenants.ours.createContact()
    const key = { 'idempotency-key': randomUUID() }
    await put(id, { plan: 'free' }, key)
    await put(id, { plan: 'pro' })
    const replayed = await put(id, { plan: 'free' }, key)
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([204, 'true'])
    expect(await dataOf(await get(id))).toEqual({ attributes: { plan: 'pro' } })
    expect(await outcomeOf(await put(id, { plan: 'gold' }, key))).toBe('422 idempotency_key_reused')
  })

  it('belong to the bot: others, unknown contacts and visitors get and set nothing', async () => {
    const { id } = await tenants.ours.createContact()
    for (const testBot of [tenants.sibling, tenants.otherOrganization]) {
      expect(await outcomeOf(await get(id, testBot))).toBe('404 not_found')
      expect(await outcomeOf(await put(id, {}, {}, testBot))).toBe('404 not_found')
    }
    for (const unknown of [randomUUID(), 'x']) expect(await outcomeOf(await put(unknown, {}))).toBe('404 not_found')
    const token = await tenants.ours.contactToken(id)
    const path = `/contacts/${id}/attributes`
    expect(await outcomeOf(await tenants.ours.call('PUT', path, { token, json: { attributes: {} } }))).toBe(
      '403 insufficient_scope',
    )
  })

  it('are refused with an error that names the key', async () => {
    const { id } = await tenants.ours.createContact()
    await put(id, { plan: 'pro' })
    const refused = await put(id, { plan: 'free', cart: [] })
    expect(await refused.json()).toMatchObject({ status: 400, errors: [{ pointer: '/attributes/cart' }] })
    expect(await outcomeOf(await tenants.ours.call('PUT', `/contacts/${id}/attributes`, { json: {} }))).toBe(
      '400 invalid_request',
    )
    expect(await dataOf(await get(id))).toEqual({ attributes: { plan: 'pro' } })
  })
})
