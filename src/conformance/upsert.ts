import * as expect from './expect.ts'
import { dataOf, type Fields, listOf } from './reply.ts'
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
    expect.success(reply)
    for (const { index, id } of listOf(reply)) {
      const { name, email } = await retrieve(target, id)
      const given = entries[Number(index)]
      expect.equal(`entry ${index}`, { name, email }, { name: given?.name, email: given?.email })
    }
    expect.equal('results', listOf(reply).length, entries.length)
  }),
  spec('4.2', 'upsert updates an existing contact, which it finds by email', async target => {
    const { id, email } = await target.newContact({ phone: '1' })
    expect.success(await upsert(target, [{ name: 'Changed', email, phone: '2' }]))
    const { name, phone } = await retrieve(target, id)
    expect.equal('the contact', { name, phone }, { name: 'Changed', phone: '2' })
  }),
  spec('4.2', 'upsert requires data, an array', async target => {
    for (const json of [{}, { data: 'x' }, { data: {} }])
      expect.refusal(await target.request('PATCH', '/contacts', { json }))
  }),
  spec('8', 'upsert accepts 1000 entries', async target => {
    const reply = await upsert(
      target,
      Array.from({ length: maxEntries }, () => entry(target)),
    )
    expect.success(reply)
    expect.equal('different ids', new Set(listOf(reply).map(({ id }) => id)).size, maxEntries)
  }),
  ours('contacts', 'more than 1000 entries are refused as a whole', async target => {
    const known = await target.newContact()
    const entries = Array.from({ length: maxEntries + 1 }, () => ({ email: known.email, name: 'Changed' }))
    expect.problem(await upsert(target, entries), 400, 'too_many_entries')
    expect.equal('the name', (await retrieve(target, known.id))['name'], known.name)
  }),
  ours('contacts', 'upsert returns 200 with a result for each entry, in order, also for updates', async target => {
    const known = await target.newContact()
    const reply = await upsert(target, [entry(target), { email: known.email }, entry(target)])
    expect.status(reply, 200)
    const results = listOf(reply)
    expect.equal(
      'indexes',
      results.map(({ index }) => index),
      [0, 1, 2],
    )
    expect.equal('the id of the updated one', results[1]?.['id'], known.id)
  }),
  ours('contacts', 'an upsert without entries returns 200 and no results', async target => {
    const reply = await upsert(target, [])
    expect.status(reply, 200)
    expect.equal('results', listOf(reply), [])
  }),
  ours('contacts', 'an upsert keeps absent fields, and "" clears a field', async target => {
    const { id, email, name } = await target.newContact({ phone: '1', mid: 'm' })
    expect.status(await upsert(target, [{ email, mid: '' }]), 200)
    const contact = await retrieve(target, id)
    expect.equal('name, phone and mid', [contact['name'], contact['phone'], contact['mid']], [name, '1', ''])
  }),
  ours('contacts', 'entries of an upsert with the same email are applied in order to one contact', async target => {
    const email = target.freshEmail()
    const reply = await upsert(target, [
      { name: 'First', email },
      { name: 'Second', email: email.toUpperCase() },
    ])
    expect.status(reply, 200)
    const [first, second] = listOf(reply)
    expect.equal('the second id', second?.['id'], first?.['id'])
    expect.equal('the name', (await retrieve(target, first?.['id']))['name'], 'Second')
  }),
  ours('contacts', 'an upsert with an invalid entry writes nothing; errors have index and pointer', async target => {
    const known = await target.newContact()
    const [good, unnamed] = [entry(target), { email: target.freshEmail() }]
    const reply = await upsert(target, [
      good,
      { email: known.email, name: 'Changed' },
      { name: 'x', email: 'no' },
      unnamed,
      7,
    ])
    const problem = expect.invalid(reply, '/data/2/email')
    const errors = problem['errors'] as Fields[]
    for (const { pointer, index } of errors)
      expect.that(String(pointer).startsWith(`/data/${index}`), 'the index of each pointer', `${pointer} ${index}`)
    expect.equal('the name', (await retrieve(target, known.id))['name'], known.name)
    expect.equal('contacts written', listOf(await target.request('POST', `/contacts?query=${good.email}`)).length, 0)
  }),
  ours('contacts', 'a new contact of an upsert needs a name', async target => {
    const reply = await upsert(target, [entry(target), { email: target.freshEmail() }])
    expect.invalid(reply, '/data/1/name')
  }),
  ours('contacts', 'upsert returns at most 100 errors', async target => {
    const reply = await upsert(
      target,
      Array.from({ length: 150 }, () => ({ name: 'x', email: 'no' })),
    )
    const { errors } = expect.invalid(reply, '/data/0/email')
    expect.equal('errors', (errors as unknown[]).length, 100)
  }),
  ours('requests', 'upsert accepts only JSON', async target => {
    expect.problem(await target.request('PATCH', '/contacts', { form: { data: '[]' } }), 415, 'unsupported_media_type')
  }),
]
