import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ContactListPage } from '../../contract/index.ts'
import { createTestTenants, outcomeOf, type TestBot, type TestTenants } from '../testing/testTenants.ts'
import { createCursor } from './cursor.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

const list = async (bot: TestBot, query = ''): Promise<ContactListPage> =>
  (await bot.call('GET', `/contacts${query}`)).json() as Promise<ContactListPage>

describe('list contacts', () => {
  it('returns pages from cursor to cursor, newest first', async () => {
    const created = []
    for (let n = 0; n < 5; n++) {
      tenants.clock.advance(1)
      created.unshift(await tenants.ours.createContact())
    }
    const first = await list(tenants.ours, '?limit=2')
    const second = await list(tenants.ours, `?limit=2&after=${first.next}`)
    const third = await list(tenants.ours, `?limit=2&after=${second.next}`)
    expect([...first.data, ...second.data, ...third.data].map(({ id }) => id)).toEqual(created.map(({ id }) => id))
    expect(third.next).toBeNull()
    expect(await list(tenants.ours, `?query=${created[3]?.email}`)).toMatchObject({ data: [created[3]], next: null })
    expect(await list(tenants.sibling)).toEqual({ data: [], next: null })
  })

  it('finds only the contact with the email, and refuses a filter that it does not have', async () => {
    const { id, email } = await tenants.ours.createContact()
    expect(await list(tenants.ours, `?email=${email.toUpperCase()}`)).toMatchObject({ data: [{ id }], next: null })
    expect(await list(tenants.ours, '?email=none@example.com')).toEqual({ data: [], next: null })
    const { next } = await list(tenants.ours, '?limit=1')
    for (const [query, pointer] of [
      ['name=Ada', '/name'],
      ['page=2', '/page'],
      ['email=', '/email'],
      [`email=${email}&query=ada`, '/email'],
      [`email=${email}&after=${next}`, '/after'],
    ])
      expect(await (await tenants.ours.call('GET', `/contacts?${query}`)).json(), query).toMatchObject({
        code: 'invalid_request',
        errors: [{ pointer }],
      })
    expect(await outcomeOf(await tenants.ours.call('POST', `/contacts?phone=${id}`))).toBe('400 invalid_request')
    expect(await outcomeOf(await tenants.ours.call('GET', '/conversations?contactId=1'))).toBe('400 invalid_request')
  })

  it('refuses a cursor of another bot, organization, search or list, and one that nobody has given', async () => {
    for (const bot of [tenants.ours, tenants.sibling, tenants.otherOrganization])
      for (let n = 0; n < 2; n++) await bot.createContact()
    const { next } = await list(tenants.ours, '?limit=1')
    expect(next).toEqual(expect.any(String))
    const place = ['2030-01-01T00:00:00.000Z', '00000000-0000-7000-8000-000000000000']
    const ofOurs = (...parts: string[]) => createCursor(['contacts', tenants.ours.bot.id, ''], parts)
    const wrong: [TestBot, string][] = [
      [tenants.sibling, `after=${next}`],
      [tenants.otherOrganization, `after=${next}`],
      [tenants.ours, `query=ada&after=${next}`],
      [tenants.ours, `after=${createCursor(['conversations', tenants.ours.bot.id], place)}`],
      [tenants.ours, `after=${ofOurs(...place)}`],
      [tenants.ours, `after=${ofOurs(...place, 'wide')}`],
      [tenants.ours, `after=${ofOurs('yesterday', place[1] ?? '', 'indexed')}`],
      [tenants.ours, `after=${ofOurs(place[0] ?? '', '7', 'indexed')}`],
      ...['x', '', '%20', 'null', '%00', 'a'.repeat(301)].map((text): [TestBot, string] => [
        tenants.ours,
        `after=${text}`,
      ]),
    ]
    for (const [bot, query] of wrong) {
      const response = await bot.call('GET', `/contacts?${query}`)
      expect(await response.json(), query).toMatchObject({
        status: 400,
        code: 'invalid_request',
        errors: [{ pointer: '/after', code: 'invalid_format', detail: expect.stringContaining('`next`') }],
      })
    }
    expect((await list(tenants.ours, `?after=${next}`)).data.length).toBeGreaterThan(0)
  })

  it('has cursors without tokens, emails or the organization', async () => {
    await tenants.ours.createContact()
    await tenants.ours.createContact()
    const { next, data } = await list(tenants.ours, '?limit=1')
    const parts = JSON.parse(Buffer.from(next ?? '', 'base64url').toString())
    expect(parts).toEqual([expect.stringMatching(/^[\w-]{10}$/), data[0]?.createdAt, data[0]?.id, 'indexed'])
  })
})

describe('a search with more matches than are counted', () => {
  it('has pages for those that are, and refuses a later page with advice', async () => {
    const { searchContacts } = tenants.store
    tenants.store.searchContacts = async () => ({ contacts: [], total: 10_000, totalIsExact: false })
    const search = (page: number) => tenants.ours.call('POST', `/contacts?query=ada&page=${page}`)
    expect(await (await search(1000)).json()).toMatchObject({
      pagination: { total: 10_000, totalIsExact: false, page: 1000, totalPages: 1000, endIndex: 9999 },
    })
    const beyond = await search(1001)
    expect(await beyond.clone().json()).toMatchObject({
      errors: [{ pointer: '/page', code: 'out_of_range', detail: expect.stringContaining('GET on this path') }],
    })
    expect(await outcomeOf(beyond)).toBe('400 invalid_request')
    tenants.store.searchContacts = searchContacts
  })
})
