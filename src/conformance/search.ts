import * as expect from './expect.ts'
import { bodyOf, type Fields, listOf, type Reply } from './reply.ts'
import { ours, type Rule, spec } from './rule.ts'
import type { Contact, TestTarget } from './testTarget.ts'

const search = async (target: TestTarget, parameters: Record<string, string | number>): Promise<Reply> => {
  const texts = Object.entries(parameters).map(([name, value]) => [name, String(value)])
  const reply = await target.request('POST', `/contacts?${new URLSearchParams(texts)}`)
  expect.success(reply)
  return reply
}
const idsOf = (reply: Reply): unknown[] => listOf(reply).map(({ id }) => id)
const paginationOf = (reply: Reply): Fields => (bodyOf(reply)['pagination'] ?? {}) as Fields
const numbers = ['total', 'page', 'limit', 'totalPages', 'startPage', 'endPage', 'startIndex', 'endIndex']

/** Creates contacts with a unique text in their names. The newest is the last. */
async function several(target: TestTarget, count: number): Promise<{ text: string; contacts: Contact[] }> {
  const text = target.fresh()
  const contacts: Contact[] = []
  for (let i = 0; i < count; i++) contacts.push(await target.newContact({ name: `Number ${i} ${text}` }))
  return { text, contacts }
}
const found = async (target: TestTarget, query: string, contact: Contact): Promise<void> => {
  const ids = idsOf(await search(target, { query }))
  expect.that(ids.includes(contact.id), `the contact for ${JSON.stringify(query)}`, `${ids.length} others`)
}

/** Search. */
export const searchRules: Rule[] = [
  spec('4.2', 'search finds a contact by the text of each of its attributes', async target => {
    const digits = `${Date.now()}`.slice(-10)
    const fields = { phone: `+99 ${digits}`, wid: `+99${digits}`, mid: target.fresh(), name: `Ada ${target.fresh()}` }
    const contact = await target.newContact(fields)
    const texts = [contact.id, fields.name, contact.email, fields.phone, fields.wid, fields.mid]
    for (const query of texts) await found(target, query, contact)
  }),
  spec('4.2', 'search returns contacts in the same form as retrieve a contact', async target => {
    const contact = await target.newContact()
    const [first] = listOf(await search(target, { query: contact.email }))
    const reply = await target.request('GET', `/contacts/${contact.id}`)
    expect.equal('the contact', first, bodyOf(reply)['data'])
  }),
  spec('4.2', 'search accepts limits from 1 to 100, and a page has at most that many contacts', async target => {
    const { text, contacts } = await several(target, 3)
    expect.equal('a page of limit 1', idsOf(await search(target, { query: text, limit: 1 })).length, 1)
    expect.equal('a page of limit 2', idsOf(await search(target, { query: text, limit: 2 })).length, 2)
    expect.equal(
      'a page of limit 100',
      idsOf(await search(target, { query: text, limit: 100 })).length,
      contacts.length,
    )
  }),
  spec('4.2', 'search returns page 1 with ten contacts by default', async target => {
    const { text } = await several(target, 11)
    const reply = await search(target, { query: text })
    expect.equal('contacts', idsOf(reply).length, 10)
    const { page, limit, total } = paginationOf(reply)
    expect.equal('page, limit and total', { page, limit, total }, { page: 1, limit: 10, total: 11 })
  }),
  spec('4.2', 'the pages of a search contain each contact exactly once', async target => {
    const { text, contacts } = await several(target, 5)
    const seen: unknown[] = []
    for (const page of [1, 2, 3]) seen.push(...idsOf(await search(target, { query: text, limit: 2, page })))
    expect.equal('ids', seen.map(String).sort(), contacts.map(({ id }) => id).sort())
  }),
  spec('2.3', 'the pagination object contains numbers, and a list of page numbers', async target => {
    const reply = await search(target, { query: target.fresh() })
    const pagination = paginationOf(reply)
    for (const name of numbers) expect.that(typeof pagination[name] === 'number', `a number in ${name}`, reply)
    const { pages } = pagination
    expect.that(Array.isArray(pages) && pages.every(page => typeof page === 'number'), 'numbers in pages', reply)
  }),
  spec('4.2', 'search without a query returns all contacts', async target => {
    await target.newContact()
    const { total } = paginationOf(await search(target, {}))
    expect.that(Number(total) >= 1, 'at least one contact', String(total))
  }),
  ours('contacts', 'contacts are sorted by creation and then by id, the newest and greatest first', async target => {
    const { text } = await several(target, 4)
    const listed = listOf(await search(target, { query: text })).map(({ createdAt, id }) => `${createdAt} ${id}`)
    expect.equal('times of creation and ids', listed, listed.toSorted().reverse())
  }),
  ours('contacts', 'a search without matches has its page, no pages, and indexes from 0 to -1', async target => {
    const reply = await search(target, { query: target.fresh(), page: 7, limit: 5 })
    const nothing = {
      total: 0,
      page: 7,
      limit: 5,
      totalPages: 0,
      startPage: 1,
      endPage: 0,
      startIndex: 0,
      endIndex: -1,
      pages: [],
    }
    const pagination = paginationOf(reply)
    expect.equal('contacts', idsOf(reply), [])
    expect.equal(
      'pagination',
      Object.keys(nothing).map(name => pagination[name]),
      Object.values(nothing),
    )
  }),
  ours('contacts', 'a page after the last is empty; indexes begin at 0 and include the end', async target => {
    const { text } = await several(target, 5)
    const all = idsOf(await search(target, { query: text }))
    for (const [number, ids, first, last] of [
      [3, all.slice(-1), 4, 4],
      [4, [], 5, 4],
      [999, [], 5, 4],
    ] as const) {
      const reply = await search(target, { query: text, page: number, limit: 2 })
      expect.equal(`ids of page ${number}`, idsOf(reply), ids)
      const { page, totalPages, startIndex, endIndex, pages } = paginationOf(reply)
      const expected = { page: number, totalPages: 3, startIndex: first, endIndex: last, pages: [1, 2, 3] }
      expect.equal('pagination', { page, totalPages, startIndex, endIndex, pages }, expected)
    }
  }),
  ours('contacts', 'ten page numbers are listed: five before the page, four after, shifted at ends', async target => {
    const { text } = await several(target, 12)
    const windows = [
      [1, 1, 10],
      [7, 2, 11],
      [12, 3, 12],
    ]
    for (const [page = 1, startPage = 1, endPage = 1] of windows) {
      const pagination = paginationOf(await search(target, { query: text, page, limit: 1 }))
      const pages = Array.from({ length: 10 }, (_, index) => startPage + index)
      const shown = [pagination['startPage'], pagination['endPage'], pagination['pages']]
      expect.equal(`the window at page ${page}`, shown, [startPage, endPage, pages])
    }
  }),
  ours('contacts', 'search ignores case, accents in names, and spaces around the query', async target => {
    const text = target.fresh()
    const contact = await target.newContact({ name: `Åse Łuczak-Ødegård ${text}`, mid: `Mid${text}` })
    for (const query of [
      `ase luczak-odegard ${text}`,
      `ÅSE ŁUCZAK-ØDEGÅRD ${text.toUpperCase()}`,
      `mID${text}`,
      `  ${text}  `,
    ])
      await found(target, query, contact)
  }),
  ours('contacts', 'search finds words in any order, and with other apostrophes, dashes and spaces', async target => {
    const text = target.fresh()
    const contact = await target.newContact({ name: `Seán  O’Brien\u2011${text}` })
    for (const query of [`o'brien-${text} sean`, `sean o’brien\u2013${text}`]) await found(target, query, contact)
    expect.equal('contacts with another word', idsOf(await search(target, { query: `${text} zzyzx` })), [])
  }),
  ours('contacts', 'search finds text in the middle of a field, and accepts one or two characters', async target => {
    const contact = await target.newContact({ name: `Before${target.fresh()}After` })
    await found(target, contact.name.slice(3, -3), contact)
    for (const query of ['q', 'zz']) expect.status(await search(target, { query }), 200)
  }),
  ours('contacts', '% _ \\ and " are ordinary characters', async target => {
    const text = target.fresh()
    const contact = await target.newContact({ name: `100%_\\"${text}` })
    await found(target, `100%_\\"${text}`, contact)
    for (const query of [`%${text}`, `_${text}`, `*${text}`, `100__\\"${text}`])
      expect.equal(`contacts for ${query}`, idsOf(await search(target, { query })), [])
  }),
  ours('contacts', 'a query of phone characters with three digits or more is compared by digits', async target => {
    const digits = `${Date.now()}`.slice(-9)
    const contact = await target.newContact({ phone: `(99) ${digits.slice(0, 3)}-${digits.slice(3)}` })
    await found(target, `99${digits}`, contact)
    await found(target, `+99 ${digits.slice(0, 5)} ${digits.slice(5)}`, contact)
  }),
  ours('contacts', 'a limit outside 1 to 100, a page below 1, and no whole numbers return 400', async target => {
    for (const limit of ['0', '-1', '101', '1.5', 'x', '', '1e1'])
      expect.invalid(await target.request('POST', `/contacts?limit=${limit}`), '/limit')
    for (const page of ['0', '-1', '1.5', 'x', '', '1e15', '1000000000000000'])
      expect.invalid(await target.request('POST', `/contacts?page=${page}`), '/page')
  }),
  ours('contacts', 'a query has at most 256 characters', async target => {
    expect.success(await search(target, { query: 'x'.repeat(256) }))
    const reply = await target.request('POST', `/contacts?query=${'x'.repeat(257)}`)
    expect.invalid(reply, '/query')
  }),
  ours('requests', 'a repeated parameter returns 400, a stray & is ignored, and a + is a space', async target => {
    expect.invalid(await target.request('POST', '/contacts?page=1&page=2'), '/page')
    expect.status(await target.request('POST', '/contacts?&limit=1'), 200)
    const text = target.fresh()
    const contact = await target.newContact({ name: `Ada ${text}` })
    expect.equal('ids', idsOf(await target.request('POST', `/contacts?query=Ada+${text}`)), [contact.id])
  }),
  ours('contacts', 'the parameter email finds only the contact with exactly that email, in any case', async target => {
    const contact = await target.newContact()
    await target.newContact({ email: `x${contact.email}` })
    const ids = async (email: string) => idsOf(await search(target, { email }))
    expect.equal('ids', await ids(contact.email), [contact.id])
    expect.equal('ids in capitals', await ids(contact.email.toUpperCase()), [contact.id])
    expect.equal('ids of an unknown email', await ids(`y${contact.email}`), [])
    const both = new URLSearchParams({ email: contact.email, query: 'ada' })
    expect.invalid(await target.request('POST', `/contacts?${both}`), '/email')
    expect.invalid(await target.request('POST', '/contacts?email=ada'), '/email')
  }),
  ours('contacts', 'a list has the same filter, and refuses a parameter that it does not know', async target => {
    const contact = await target.newContact()
    const list = (query: string) => target.request('GET', `/contacts?${query}`)
    expect.equal('ids', idsOf(await list(`email=${contact.email}`)), [contact.id])
    expect.equal('ids of an unknown email', idsOf(await list(`email=x${contact.email}`)), [])
    expect.invalid(await list('name=ada'), '/name')
    expect.invalid(await target.request('POST', '/contacts?name=ada'), '/name')
    expect.success(await target.request('POST', '/contacts?limit=1&x=1'))
  }),
  ours('contacts', 'search finds what was written before the request', async target => {
    const text = target.fresh()
    const { id } = await target.newContact({ name: text })
    expect.status(await target.request('PATCH', `/contacts/${id}`, { json: { name: `${text}y` } }), 200)
    expect.equal('ids', idsOf(await search(target, { query: `${text}y` })), [id])
    expect.status(await target.request('DELETE', `/contacts/${id}`), 204)
    expect.equal('ids', idsOf(await search(target, { query: text })), [])
  }),
  ours('contacts', 'the cursors of a list lead to each contact that a search finds, exactly once', async target => {
    const { text, contacts } = await several(target, 5)
    const seen: unknown[] = []
    let after = ''
    do {
      const reply = await target.request('GET', `/contacts?query=${text}&limit=2${after && `&after=${after}`}`)
      expect.success(reply)
      expect.that(listOf(reply).length <= 2, 'at most two contacts', reply)
      seen.push(...idsOf(reply))
      after = String(bodyOf(reply)['next'] ?? '')
    } while (after !== '' && seen.length <= contacts.length)
    expect.equal('ids', seen.map(String).sort(), contacts.map(({ id }) => id).sort())
  }),
  ours('contacts', 'an invented cursor, or one of another search, returns 400', async target => {
    const { text } = await several(target, 2)
    const reply = await target.request('GET', `/contacts?query=${text}&limit=1`)
    expect.success(reply)
    const next = String(bodyOf(reply)['next'])
    for (const query of ['after=x', 'after=', `after=${next}`])
      expect.invalid(await target.request('GET', `/contacts?${query}`), '/after')
  }),
]
