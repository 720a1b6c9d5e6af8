import {
  dataOf,
  expectEqual,
  expectProblem,
  expectRefusal,
  expectStatus,
  expectSuccess,
  expectThat,
  type Fields,
  listOf,
} from './reply.ts'
import { ours, type Rule, spec } from './rule.ts'
import type { TestTarget } from './testTarget.ts'

const upsert = (target: TestTarget, data: unknown) => target.request('PATCH', '/contacts', { json: { data } })
const entry = (target: TestTarget, fields: Fields = {}) => ({
  name: 'Conformance',
  email: target.freshEmail(),
  ...fields,
})
const retrieve = async (target: TestTarget, id: unknown): Promise<Fields> =>
  dataOf(await target.request('GET', `/contacts/${id}`))
const maxEntries = 1000

/** Upsert. */
export const upsertRules: Rule[] = [
  spec('4.2', 'upsert creates new contacts, and returns their ids', async target => {
    const entries = [entry(target), entry(target, { phone: '1', wid: '+4712345678' })]
    const reply = await upsert(target, entries)
    expectSuccess(reply)
    for (const { index, id } of listOf(reply)) {
      const { name, email } = await retrieve(target, id)
      const given = entries[Number(index)]
      expectEqual(`entry ${index}`, { name, email }, { name: given?.name, email: given?.email })
    }
    expectEqual('results', listOf(reply).length, entries.length)
  }),
  spec('4.2', 'upsert updates an existing contact, which it finds by email', async target => {
    const { id, email } = await target.newContact({ phone: '1' })
    expectSuccess(await upsert(target, [{ name: 'Changed', email, phone: '2' }]))
    const { name, phone } = await retrieve(target, id)
    expectEqual('the contact', { name, phone }, { name: 'Changed', phone: '2' })
  }),
  spec('4.2', 'upsert requires data, an array', async target => {
    for (const json of [{}, { data: 'x' }, { data: {} }])
      expectRefusal(await target.request('PATCH', '/contacts', { json }))
  }),
  spec('8', 'upsert accepts 1000 entries', async target => {
    const reply = await upsert(
      target,
      Array.from({ length: maxEntries }, () => entry(target)),
    )
    expectSuccess(reply)
    expectEqual('different ids', new Set(listOf(reply).map(({ id }) => id)).size, maxEntries)
  }),
  ours('contacts', 'more than 1000 entries are refused as a whole', async target => {
    const known = await target.newContact()
    const entries = Array.from({ length: maxEntries + 1 }, () => ({ email: known.email, name: 'Changed' }))
    expectProblem(await upsert(target, entries), 400, 'too_many_entries')
    expectEqual('the name', (await retrieve(target, known.id))['name'], known.name)
  }),
  ours(
    'contacts',
    'upsert returns 200 with one result for each entry, in order, also for updated contacts',
    async target => {
      const known = await target.newContact()
      const reply = await upsert(target, [entry(target), { email: known.email }, entry(target)])
      expectStatus(reply, 200)
      const results = listOf(reply)
      expectEqual(
        'indexes',
        results.map(({ index }) => index),
        [0, 1, 2],
      )
      expectEqual('the id of the updated one', results[1]?.['id'], known.id)
    },
  ),
  ours('contacts', 'an upsert without entries returns 200 and no results', async target => {
    const reply = await upsert(target, [])
    expectStatus(reply, 200)
    expectEqual('results', listOf(reply), [])
  }),
  ours('contacts', 'an upsert keeps absent fields, and "" clears a field', async target => {
    const { id, email, name } = await target.newContact({ phone: '1', mid: 'm' })
    expectStatus(await upsert(target, [{ email, mid: '' }]), 200)
    const contact = await retrieve(target, id)
    expectEqual('name, phone and mid', [contact['name'], contact['phone'], contact['mid']], [name, '1', ''])
  }),
  ours('contacts', 'entries of an upsert with the same email are applied in order to one contact', async target => {
    const email = target.freshEmail()
    const reply = await upsert(target, [
      { name: 'First', email },
      { name: 'Second', email: email.toUpperCase() },
    ])
    expectStatus(reply, 200)
    const [first, second] = listOf(reply)
    expectEqual('the second id', second?.['id'], first?.['id'])
    expectEqual('the name', (await retrieve(target, first?.['id']))['name'], 'Second')
  }),
  ours(
    'contacts',
    'an upsert with invalid entries writes nothing, and returns the index and pointer of each error',
    async target => {
      const known = await target.newContact()
      const [good, unnamed] = [entry(target), { email: target.freshEmail() }]
      const reply = await upsert(target, [
        good,
        { email: known.email, name: 'Changed' },
        { name: 'x', email: 'no' },
        unnamed,
        7,
      ])
      const problem = expectProblem(reply, 400, 'invalid_request', '/data/2/email')
      const errors = problem['errors'] as Fields[]
      for (const { pointer, index } of errors)
        expectThat(String(pointer).startsWith(`/data/${index}`), 'the index of each pointer', `${pointer} ${index}`)
      expectEqual('the name', (await retrieve(target, known.id))['name'], known.name)
      expectEqual('contacts written', listOf(await target.request('POST', `/contacts?query=${good.email}`)).length, 0)
    },
  ),
  ours('contacts', 'a new contact of an upsert needs a name', async target => {
    const reply = await upsert(target, [entry(target), { email: target.freshEmail() }])
    expectProblem(reply, 400, 'invalid_request', '/data/1/name')
  }),
  ours('contacts', 'upsert returns at most 100 errors', async target => {
    const reply = await upsert(
      target,
      Array.from({ length: 150 }, () => ({ name: 'x', email: 'no' })),
    )
    const { errors } = expectProblem(reply, 400, 'invalid_request', '/data/0/email')
    expectEqual('errors', (errors as unknown[]).length, 100)
  }),
  ours('requests', 'upsert accepts only JSON', async target => {
    expectProblem(await target.request('PATCH', '/contacts', { form: { data: '[]' } }), 415, 'unsupported_media_type')
  }),
]
