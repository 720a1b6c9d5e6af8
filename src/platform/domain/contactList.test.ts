import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ContactListPage } from '../../contract/index.ts'
import { createTestTenants, outcomeOf, type TestBot, type TestTenants } from '../testing/testTenants.ts'
import { createCursor } from './cursor.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
  for (const bot of [tenants.ours, tenants.sibling, tenants.otherOrganization])
    for (let n = 0; n < 3; n++) {
      tenants.clock.advance(1)
      await bot.createContact()
    }
})
afterAll(() => tenants.close())

const list = async (bot: TestBot, query = '') =>
  (await bot.call('GET', `/contacts${query}`)).json() as Promise<ContactListPage>

it('a list has pages from cursor to cursor, newest first, and the last one has no next', async () => {
  const { data, next } = await list(tenants.ours)
  expect([data.length, next]).toEqual([3, null])
  expect(data.map(({ createdAt }) => createdAt)).toEqual(
    data
      .map(({ createdAt }) => createdAt)
      .toSorted()
      .reverse(),
  )
  const first = await list(tenants.ours, '?limit=2')
  expect(first.data).toEqual(data.slice(0, 2))
  expect(await list(tenants.ours, `?limit=2&after=${first.next}`)).toEqual({ data: data.slice(2), next: null })
})

it('a list refuses a filter that it does not have, or that excludes another', async () => {
  const { data, next } = await list(tenants.ours, '?limit=1')
  for (const [query, pointer] of [
    ['name=Ada', '/name'],
    ['page=2', '/page'],
    ['email=', '/email'],
    [`email=${data[0]?.email}&query=ada`, '/email'],
    [`email=${data[0]?.email}&after=${next}`, '/after'],
  ])
    expect(await (await tenants.ours.call('GET', `/contacts?${query}`)).json(), query).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer }],
    })
  expect(await outcomeOf(tenants.ours.call('POST', '/contacts?phone=1'))).toBe('400 invalid_request')
  expect(await outcomeOf(tenants.ours.call('GET', '/conversations?contactId=1'))).toBe('400 invalid_request')
})

it('a list refuses a cursor of another bot, organization, search or list, and one that nobody has given', async () => {
  const { next } = await list(tenants.ours, '?limit=1')
  const [time, id] = ['2030-01-01T00:00:00.000Z', '00000000-0000-7000-8000-000000000000'] as const
  const ofOurs = (...parts: string[]) => createCursor(['contacts', tenants.ours.bot.id, ''], parts)
  const made = [
    ofOurs(time, id),
    ofOurs(time, id, 'wide'),
    ofOurs('yesterday', id, 'indexed'),
    ofOurs(time, '7', 'indexed'),
  ]
  const otherList = createCursor(['conversations', tenants.ours.bot.id], [time, id])
  const invalid = [otherList, ...made, 'x', '', '%20', 'null', '%00', 'a'.repeat(301)]
  const wrong: [TestBot, string][] = [
    [tenants.sibling, `after=${next}`],
    [tenants.otherOrganization, `after=${next}`],
    [tenants.ours, `query=ada&after=${next}`],
    ...invalid.map((cursor): [TestBot, string] => [tenants.ours, `after=${cursor}`]),
  ]
  const error = { pointer: '/after', code: 'invalid_format', detail: expect.stringContaining('`next`') }
  for (const [bot, query] of wrong) {
    const response = await bot.call('GET', `/contacts?${query}`)
    expect(await response.json(), query).toMatchObject({ status: 400, code: 'invalid_request', errors: [error] })
  }
  expect((await list(tenants.ours, `?after=${next}`)).data).toHaveLength(2)
})

it('a cursor holds no token, email or organization', async () => {
  const { next, data } = await list(tenants.ours, '?limit=1')
  const parts = JSON.parse(Buffer.from(next ?? '', 'base64url').toString())
  expect(parts).toEqual([expect.stringMatching(/^[\w-]{10}$/), data[0]?.createdAt, data[0]?.id, 'indexed'])
})

it('a search with more matches than are counted has pages for those, and refuses a later page with advice', async () => {
  const { ours, store } = await createTestTenants()
  store.searchContacts = async () => ({ contacts: [], total: 10_000, totalIsExact: false })
  const search = (page: number) => ours.call('POST', `/contacts?query=ada&page=${page}`)
  expect(await (await search(1000)).json()).toMatchObject({
    pagination: { total: 10_000, totalIsExact: false, page: 1000, totalPages: 1000, endIndex: 9999 },
  })
  const advice = { pointer: '/page', code: 'out_of_range', detail: expect.stringContaining('GET on this path') }
  expect(await (await search(1001)).json()).toMatchObject({ code: 'invalid_request', errors: [advice] })
})
