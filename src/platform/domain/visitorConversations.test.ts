import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestTenants, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

const textsOf = async (token: string) => (await tenants.ours.messages(token)).map(({ text }) => text)

describe('a conversation', () => {
  it('refuses a message, a position and a page that are invalid', async () => {
    const { ours } = tenants
    const token = await ours.visitorToken()
    expect((await ours.send(token, `  ${'😀'.repeat(4000)}  `)).status).toBe(201)
    const texts = ['', '   ', 'x'.repeat(4001), 'a\0b', '\ud800'].map(text => ours.send(token, text))
    const reads = ['2', -1, 1.5, null].map(seq => ours.call('POST', '/widget/read', { token, json: { seq } }))
    const pages = ['limit=0', 'limit=101', 'before=0', 'before=x'].map(query =>
      ours.call('GET', `/widget/messages?${query}`, { token }),
    )
    for (const response of await Promise.all([...texts, ours.send(token, 'x', 'no-uuid'), ...reads, ...pages]))
      expect(await outcomeOf(response)).toBe('400 invalid_request')
    expect(await textsOf(token)).toEqual(['😀'.repeat(4000)])
  })

  it('cannot be accessed after logout, which revokes only that token, even between the check and the write', async () => {
    const { ours, store } = await createTestTenants()
    const { id } = await ours.createContact()
    const [ended, other, ending] = [
      await ours.contactToken(id),
      await ours.contactToken(id),
      await ours.contactToken(id),
    ]
    expect((await ours.call('DELETE', '/widget/session', { token: ended })).status).toBe(204)
    expect(await outcomeOf(ours.send(ended, 'late'))).toBe('401 token_revoked')
    expect((await ours.send(other, 'still here')).status).toBe(201)
    const { appendVisitorMessage } = store
    store.appendVisitorMessage = async (hash, message) => {
      await store.endSession(ours.bot.id, hash, 'logged_out', message.createdAt)
      return appendVisitorMessage(hash, message)
    }
    expect(await outcomeOf(ours.send(ending, 'late'))).toBe('401 token_revoked')
  })
})
