import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

const history = async (token: string, query = '') =>
  (await dataOf(await tenants.ours.call('GET', `/widget/messages${query}`, { token }))) as {
    seq: number
    text: string
  }[]
const state = async (token: string) => dataOf(await tenants.ours.call('GET', '/widget/session', { token }))

describe('a conversation', () => {
  it('is shared by all sessions of a contact, and separate for each anonymous session', async () => {
    const { id } = await tenants.ours.createContact()
    const [phone, laptop] = [await tenants.ours.contactToken(id), await tenants.ours.contactToken(id)]
    const [visitor, stranger] = [await tenants.ours.visitorToken(), await tenants.ours.visitorToken()]
    await tenants.ours.send(phone, 'from the phone')
    await tenants.ours.send(visitor, 'anonymous')
    expect(await history(laptop)).toMatchObject([{ seq: 1, text: 'from the phone' }])
    expect(await history(visitor)).toMatchObject([{ seq: 1, text: 'anonymous' }])
    expect(await history(stranger)).toEqual([])
  })

  it('stores a message once, however often it is sent', async () => {
    const token = await tenants.ours.visitorToken()
    const id = randomUUID()
    const first = await tenants.ours.send(token, ' Hello ', id)
    const repeated = await tenants.ours.send(token, 'Hello', id)
    expect([first.status, repeated.status]).toEqual([201, 200])
    expect(await first.json()).toEqual(await repeated.json())
    expect(await outcomeOf(await tenants.ours.send(token, 'Other', id))).toBe('409 id_reused')
    expect(await history(token)).toHaveLength(1)
    // The id is unique only within its conversation: elsewhere it is another message.
    expect((await tenants.ours.send(await tenants.ours.visitorToken(), 'Other', id)).status).toBe(201)
  })

  it('accepts 1 to 4000 characters after trimming, and a UUID', async () => {
    const token = await tenants.ours.visitorToken()
    expect((await tenants.ours.send(token, `  ${'😀'.repeat(4000)}  `)).status).toBe(201)
    for (const text of ['', '   ', 'x'.repeat(4001), 'a\0b', '\ud800'])
      expect(await outcomeOf(await tenants.ours.send(token, text))).toBe('400 invalid_request')
    expect(await outcomeOf(await tenants.ours.send(token, 'x', 'no-uuid'))).toBe('400 invalid_request')
  })

  it('returns its history newest page first, ascending within a page', async () => {
    const token = await tenants.ours.visitorToken()
    for (let count = 1; count <= 5; count++) await tenants.ours.send(token, String(count))
    const seqs = async (query: string) => (await history(token, query)).map(({ seq }) => seq)
    expect(await seqs('?limit=2')).toEqual([4, 5])
    expect(await seqs('?before=4&limit=2')).toEqual([2, 3])
    expect(await seqs('?before=2')).toEqual([1])
    expect(await seqs('?before=1')).toEqual([])
    for (const query of ['?limit=0', '?limit=101', '?before=0', '?before=x'])
      expect(await outcomeOf(await tenants.ours.call('GET', `/widget/messages${query}`, { token }))).toBe(
        '400 invalid_request',
      )
  })

  it('can only be marked as read forward, and never beyond its last message', async () => {
    const token = await tenants.ours.visitorToken()
    for (let count = 1; count <= 3; count++) await tenants.ours.send(token, String(count))
    const read = (seq: unknown) => tenants.ours.call('POST', '/widget/read', { token, json: { seq } })
    for (const [seq, readSeq] of [
      [2, 2],
      [1, 2],
      [99, 3],
    ]) {
      expect((await read(seq)).status).toBe(204)
      expect(await state(token)).toMatchObject({ contact: null, conversation: { lastSeq: 3, readSeq } })
    }
    for (const seq of ['2', -1, 1.5, null]) expect(await outcomeOf(await read(seq))).toBe('400 invalid_request')
  })

  it('cannot be accessed after logout, which revokes only that token', async () => {
    const { id } = await tenants.ours.createContact()
    const [endedToken, otherToken] = [await tenants.ours.contactToken(id), await tenants.ours.contactToken(id)]
    expect((await tenants.ours.call('DELETE', '/widget/session', { token: endedToken })).status).toBe(204)
    expect(await outcomeOf(await tenants.ours.send(endedToken, 'late'))).toBe('401 token_revoked')
    expect((await tenants.ours.send(otherToken, 'still here')).status).toBe(201)
  })

  it('returns 401 for a write whose token ends between the check and the write', async () => {
    const own = await createTestTenants()
    const token = await own.ours.visitorToken()
    const { appendVisitorMessage } = own.store
    own.store.appendVisitorMessage = async (hash, message) => {
      await own.store.endSession(own.ours.bot.id, hash, 'logged_out', message.createdAt)
      return appendVisitorMessage(hash, message)
    }
    expect(await outcomeOf(await own.ours.send(token, 'late'))).toBe('401 token_revoked')
    await own.close()
  })
})
