import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paginate } from '../contract/index.ts'
import { type Contact, createClient, type NatterClient } from './index.ts'
import { options, startInMemory } from './testing/testClients.ts'

/** A contact with a time and an id that grow with its number. Seven share a time, so that the id decides their order. */
const contactOf = (number: number): Contact => {
  const at = new Date(Date.UTC(2026, 0, 1, 0, Math.floor(number / 7))).toISOString()
  const id = String(number).padStart(8, '0')
  return { id, name: id, email: `${id}@example.com`, phone: '', mid: '', wid: '', createdAt: at, updatedAt: at }
}

/** A client of contacts, newest first. Each page is read from the list as it is at that moment. */
function createListing(count: number, beforeEachPage: (contacts: Contact[], page: number) => void = () => {}) {
  const contacts = Array.from({ length: count }, (_, index) => contactOf(count - index))
  const urls: URL[] = []
  const fetch = (request: Request) => {
    const url = new URL(request.url)
    urls.push(url)
    beforeEachPage(contacts, urls.length)
    const limit = Number(url.searchParams.get('limit'))
    if (request.method === 'POST') {
      const data = contacts.slice(0, limit)
      return Response.json({ data, pagination: paginate(1, limit, contacts.length) })
    }
    // The ids of these contacts grow with their times.
    const after = url.searchParams.get('after') ?? '~'
    const left = contacts.filter(({ id }) => id < after)
    const data = left.slice(0, limit)
    return Response.json({ data, next: left.length > limit ? data.at(-1)?.id : null })
  }
  return { client: createClient({ ...options, fetch }), contacts, urls }
}

async function idsOf(found: AsyncIterable<Contact>): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of found) ids.push(id)
  return ids
}

describe('contacts.search with for await', () => {
  it.each([0, 1, 99, 100, 101, 250, 1000, 5555])('yields each of %i contacts once, newest first', async count => {
    const { client, contacts, urls } = createListing(count)
    expect(await idsOf(client.contacts.search())).toEqual(contacts.map(({ id }) => id))
    expect(urls.length).toBe(Math.max(1, Math.ceil(count / 100)))
    for (const { searchParams } of urls) expect(searchParams.get('limit')).toBe('100')
  })

  it('sends the query with every page', async () => {
    const { client, urls } = createListing(150)
    await idsOf(client.contacts.search({ query: 'ada' }))
    expect(urls.map(({ searchParams }) => searchParams.get('query'))).toEqual(['ada', 'ada'])
  })

  it('requests one page when it is awaited, once, and nothing before', async () => {
    const { client, urls } = createListing(15)
    const found = client.contacts.search({ limit: 10 })
    expect(urls).toEqual([])
    const settled = found.finally(() => {})
    expect(await found).toBe(await settled)
    expect((await found).data).toHaveLength(10)
    expect(await found.then(({ pagination }) => pagination.total)).toBe(15)
    expect(urls.length).toBe(1)
  })

  it('sends one request for an email, which only one contact can have', async () => {
    const { client, urls } = createListing(1)
    expect(await idsOf(client.contacts.search({ email: 'ada@example.com', page: 3, limit: 5 }))).toHaveLength(1)
    expect(urls.map(({ search }) => search)).toEqual(['?email=ada%40example.com&limit=1'])
  })

  it('continues after an empty page if there is a next one', async () => {
    const pages = [
      { data: [], next: 'b' },
      { data: [contactOf(1)], next: 'c' },
      { data: [], next: null },
    ]
    const asked: (string | null)[] = []
    const fetch = ({ url }: Request) => {
      asked.push(new URL(url).searchParams.get('after'))
      return Response.json(pages[asked.length - 1])
    }
    expect(await idsOf(createClient({ ...options, fetch }).contacts.search({ query: 'zq' }))).toHaveLength(1)
    expect(asked).toEqual([null, 'b', 'c'])
  })

  it('refuses a filter that it does not have, in place of finding everybody', async () => {
    const { client, urls } = createListing(5)
    const wrong = { name: 'ada' } as object
    await expect(client.contacts.search(wrong)).rejects.toThrow('query, email, page, limit')
    await expect(idsOf(client.contacts.search(wrong))).rejects.toThrow(TypeError)
    await expect(client.conversations.list(wrong)).rejects.toThrow('after, limit')
    await expect(client.conversations.messages.list('1', wrong)).rejects.toThrow('before, limit')
    expect(urls).toEqual([])
  })

  it('requests a page when it is needed, and none after the loop has ended', async () => {
    const { client, urls } = createListing(500)
    const found = client.contacts.search()
    expect(urls).toEqual([])
    let count = 0
    for await (const _ of found) if (++count === 150) break
    expect(urls.length).toBe(2)
  })

  it('yields no contact twice and omits none while contacts are created', async () => {
    let next = 1001
    const { client, contacts } = createListing(1000, list => {
      for (let i = 0; i < 37; i++) list.unshift(contactOf(next++))
    })
    const there = contacts.map(({ id }) => id)
    const ids = await idsOf(client.contacts.search())
    expect(new Set(ids).size).toBe(ids.length)
    expect(there.filter(id => !ids.includes(id))).toEqual([])
  })

  it('omits none while contacts that it has yielded are deleted', async () => {
    const { client, contacts } = createListing(1000, (list, page) => page < 8 && list.splice(0, 120))
    const last = contacts.at(-1)?.id
    const deletedAtMost = 120 * 7
    const stay = contacts.slice(deletedAtMost).map(({ id }) => id)
    const ids = await idsOf(client.contacts.search())
    expect(new Set(ids).size).toBe(ids.length)
    expect(stay.filter(id => !ids.includes(id))).toEqual([])
    expect(ids.at(-1)).toBe(last)
  })

  it('yields once each contact that exists all the time, whatever is created or deleted', async () => {
    // A seeded generator, so that a failure can be reproduced.
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((seed / 2 ** 31) * below)
    }
    for (let round = 0; round < 50; round++) {
      let next = 801
      const deleted = new Set<string>()
      const { client, contacts } = createListing(800, (list, page) => {
        if (page > 60) return
        for (let i = random(60); i > 0; i--) list.unshift(contactOf(next++))
        for (let i = random(60); i > 0 && list.length > 0; i--) {
          for (const { id } of list.splice(random(list.length), 1)) deleted.add(id)
        }
      })
      const before = contacts.map(({ id }) => id)
      const ids = await idsOf(client.contacts.search())
      expect(new Set(ids).size, `round ${round}`).toBe(ids.length)
      expect(
        before.filter(id => !deleted.has(id) && !ids.includes(id)),
        `round ${round}`,
      ).toEqual([])
    }
  })

  it('rejects with the reason if it is aborted between two pages', async () => {
    const { client, urls } = createListing(500)
    const abort = new AbortController()
    const reason = new Error('enough')
    const run = async () => {
      for await (const _ of client.contacts.search({}, { signal: abort.signal })) abort.abort(reason)
    }
    await expect(run()).rejects.toBe(reason)
    expect(urls.length).toBe(1)
  })
})

describe('contacts.search on the platform', () => {
  let client: NatterClient
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ client, close } = await startInMemory())
  })
  afterAll(() => close())

  it('retrieves by the exact email, in any case', async () => {
    const { id } = await client.contacts.create({ name: 'Ada', email: 'ada@shop.example' })
    await client.contacts.create({ name: 'Other', email: 'xada@shop.example' })
    expect((await client.contacts.retrieveByEmail('Ada@Shop.example'))?.id).toBe(id)
    expect(await client.contacts.retrieveByEmail('nobody@shop.example')).toBeNull()
    await expect(client.contacts.retrieveByEmail('ada')).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(client.contacts.search({ email: 'a@b.example', query: 'a' })).rejects.toMatchObject({ status: 400 })
  })

  it('yields every contact once while others are created and deleted', async () => {
    const names = Array.from({ length: 330 }, (_, index) => ({
      name: `Person ${index}`,
      email: `p${index}@example.com`,
    }))
    const there = (await client.contacts.upsert(names)).map(({ id }) => id)
    const ids: string[] = []
    for await (const { id } of client.contacts.search({ query: 'person' })) {
      ids.push(id)
      if (ids.length % 50 !== 0) continue
      await client.contacts.create({ name: 'Person of late', email: `${crypto.randomUUID()}@example.com` })
      await client.contacts.delete(ids[ids.length - 30] ?? '')
    }
    expect(ids.toSorted()).toEqual(there.toSorted())
  })
})
