import {
  bodyOf,
  dataOf,
  expectEmpty,
  expectEqual,
  expectHeader,
  expectProblem,
  expectRefusal,
  expectStatus,
  expectSuccess,
  expectThat,
  type Fields,
} from './reply.ts'
import { ours, type Rule, spec } from './rule.ts'
import type { TestTarget } from './testTarget.ts'

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const keys = ['id', 'name', 'email', 'phone', 'mid', 'wid', 'createdAt', 'updatedAt']
const nobody = '00000000-0000-7000-8000-000000000000'

const create = (place: TestTarget, json: unknown) => place.request('PUT', '/contacts', { json })
const retrieve = async (place: TestTarget, id: string): Promise<Fields> => {
  const reply = await place.request('GET', `/contacts/${id}`)
  expectSuccess(reply)
  return dataOf(reply)
}
const whole = (place: TestTarget) => ({
  name: 'Ada Lovelace',
  email: place.freshEmail(),
  phone: '+47 22 33 44 55',
  wid: '+4722334455',
  mid: 'm-1',
})
const picked = (fields: Fields, names: string[]) => Object.fromEntries(names.map(name => [name, fields[name]]))

/** Create, retrieve, update and delete (Spec 4.2, decisions 2 and 3). */
export const contactRules: Rule[] = [
  spec('4.2', 'create a contact answers with the contact and its new id', async place => {
    const given = whole(place)
    const reply = await create(place, given)
    expectSuccess(reply)
    const contact = dataOf(reply)
    expectThat(typeof contact['id'] === 'string' && contact['id'] !== '', 'an id', reply)
    expectEqual('name and email', picked(contact, ['name', 'email']), { name: given.name, email: given.email })
  }),
  spec('4.2', 'create a contact keeps every field, and retrieve a contact shows it', async place => {
    const given = whole(place)
    const { id } = await place.newContact(given)
    expectEqual('the contact', picked(await retrieve(place, id), ['id', ...Object.keys(given)]), { id, ...given })
  }),
  spec('4.2', 'create a contact takes form fields as well as JSON', async place => {
    const given = whole(place)
    const reply = await place.request('PUT', '/contacts', { form: given })
    expectSuccess(reply)
    expectEqual('the contact', picked(dataOf(reply), Object.keys(given)), given)
  }),
  spec('4.2', 'create a contact needs a name and an email', async place => {
    expectRefusal(await create(place, { name: 'Ada' }))
    expectRefusal(await create(place, { email: place.freshEmail() }))
  }),
  spec('7', 'create a contact answers 400 when the email already exists', async place => {
    const { email } = await place.newContact()
    expectStatus(await create(place, { name: 'Another', email }), 400)
  }),
  spec('2.1', 'each contact has an id of its own', async place => {
    const [first, second] = [await place.newContact(), await place.newContact()]
    expectThat(first.id !== second.id, 'two ids', first.id)
  }),
  spec('2.1', 'the fields of a contact are strings, its times ISO 8601 in UTC with milliseconds', async place => {
    const { id } = await place.newContact()
    const contact = await retrieve(place, id)
    const others = Object.entries(contact).filter(([name, value]) => keys.includes(name) && typeof value !== 'string')
    expectEqual('fields that are no strings', others, [])
    for (const name of ['createdAt', 'updatedAt'])
      expectThat(timestamp.test(String(contact[name])), `${name} like 2030-01-15T12:00:00.000Z`, String(contact[name]))
  }),
  spec('4.2', 'retrieve a contact refuses an id that nobody has', async place => {
    expectRefusal(await place.request('GET', `/contacts/${nobody}`))
  }),
  spec('4.2', 'update a contact answers 200 without a payload, and changes what is given alone', async place => {
    const given = whole(place)
    const { id } = await place.newContact(given)
    expectEmpty(await place.request('PATCH', `/contacts/${id}`, { json: { name: 'Ada King', phone: '1' } }), 200)
    const expected = { ...given, name: 'Ada King', phone: '1' }
    expectEqual('the contact', picked(await retrieve(place, id), Object.keys(expected)), expected)
  }),
  spec('2.1', 'update a contact moves updatedAt on, and leaves createdAt', async place => {
    const { id } = await place.newContact()
    const before = await retrieve(place, id)
    expectStatus(await place.request('PATCH', `/contacts/${id}`, { json: { name: 'Later' } }), 200)
    const after = await retrieve(place, id)
    expectEqual('createdAt', after['createdAt'], before['createdAt'])
    const moved =
      timestamp.test(String(after['updatedAt'])) && String(after['updatedAt']) >= String(before['updatedAt'])
    expectThat(moved, `updatedAt from ${before['updatedAt']} on`, String(after['updatedAt']))
  }),
  spec('7', 'update a contact answers 400 when the new email belongs to another', async place => {
    const [first, second] = [await place.newContact(), await place.newContact()]
    expectStatus(await place.request('PATCH', `/contacts/${first.id}`, { json: { email: second.email } }), 400)
    expectEqual('its email', (await retrieve(place, first.id))['email'], first.email)
  }),
  spec('4.2', 'delete a contact answers 204 without a body, and it is gone', async place => {
    const { id } = await place.newContact()
    expectEmpty(await place.request('DELETE', `/contacts/${id}`), 204)
    expectRefusal(await place.request('GET', `/contacts/${id}`))
  }),
  spec('2.1', 'the email of a deleted contact is free again', async place => {
    const { id, email } = await place.newContact()
    expectStatus(await place.request('DELETE', `/contacts/${id}`), 204)
    await place.newContact({ email })
  }),
  ours('2', 'create a contact answers 201', async place => {
    expectStatus(await create(place, whole(place)), 201)
  }),
  ours('2', 'update a contact says no content type', async place => {
    const { id } = await place.newContact()
    const reply = await place.request('PATCH', `/contacts/${id}`, { json: { name: 'Ada' } })
    expectEqual('a content type', reply.headers.get('content-type'), null)
  }),
  ours('3', 'a contact has all eight fields, an unset one is ""', async place => {
    const { id, name, email } = await place.newContact()
    const contact = await retrieve(place, id)
    expectEqual('its fields', Object.keys(contact).sort(), [...keys].sort())
    const unset = { name, email, phone: '', mid: '', wid: '' }
    expectEqual('the contact', picked(contact, Object.keys(unset)), unset)
  }),
  ours('3', 'an id is a UUID of version 7, and its path is taken in lower case alone', async place => {
    const { id } = await place.newContact()
    expectThat(uuid7.test(id), 'a UUID of version 7', id)
    if (id !== id.toUpperCase())
      expectProblem(await place.request('GET', `/contacts/${id.toUpperCase()}`), 404, 'not_found')
  }),
  ours('2', 'email_taken names the contact of the same bot', async place => {
    const [first, second] = [await place.newContact(), await place.newContact()]
    const conflict = { field: 'email', contactId: second.id }
    for (const reply of [
      await create(place, { name: 'Another', email: second.email }),
      await place.request('PATCH', `/contacts/${first.id}`, { json: { email: second.email } }),
    ]) {
      expectProblem(reply, 400, 'email_taken')
      expectEqual('conflict', bodyOf(reply)['conflict'], conflict)
    }
  }),
  ours('3', 'update with one’s own email is fine', async place => {
    const { id, email } = await place.newContact()
    expectStatus(await place.request('PATCH', `/contacts/${id}`, { json: { email, phone: '1' } }), 200)
    expectEqual('email and phone', picked(await retrieve(place, id), ['email', 'phone']), { email, phone: '1' })
  }),
  ours('3', 'update without a field changes nothing, updatedAt included', async place => {
    const { id } = await place.newContact()
    const before = await retrieve(place, id)
    for (const asking of [{ json: {} }, {}, { headers: { 'content-type': 'application/json' } }])
      expectStatus(await place.request('PATCH', `/contacts/${id}`, asking), 200)
    expectEqual('the contact', await retrieve(place, id), before)
    expectThat(timestamp.test(String(before['updatedAt'])), 'a time in updatedAt', String(before['updatedAt']))
  }),
  ours('3', '"" clears phone, mid and wid; name and email can’t be empty', async place => {
    const { id } = await place.newContact(whole(place))
    expectStatus(await place.request('PATCH', `/contacts/${id}`, { json: { phone: '', mid: '', wid: '' } }), 200)
    expectEqual('the cleared fields', picked(await retrieve(place, id), ['phone', 'mid', 'wid']), {
      phone: '',
      mid: '',
      wid: '',
    })
    for (const field of ['name', 'email'])
      expectProblem(
        await place.request('PATCH', `/contacts/${id}`, { json: { [field]: '' } }),
        400,
        'invalid_request',
        `/${field}`,
      )
  }),
  ours('3', 'delete a second time is 404', async place => {
    const { id } = await place.newContact()
    expectStatus(await place.request('DELETE', `/contacts/${id}`), 204)
    expectProblem(await place.request('DELETE', `/contacts/${id}`), 404, 'not_found')
  }),
  ours('1', 'nothing in a body changes what is not in the table: id, times, bot, prototype', async place => {
    const { id, createdAt } = await place.newContact()
    const body = `{"id":"${nobody}","createdAt":"2000-01-01T00:00:00.000Z","botId":"x","verified":true,"__proto__":{"name":"x"},"constructor":{}}`
    const headers = { 'content-type': 'application/json' }
    expectStatus(await place.request('PATCH', `/contacts/${id}`, { body, headers }), 200)
    expectEqual('id and time', picked(await retrieve(place, id), ['id', 'createdAt', 'name']), {
      id,
      createdAt,
      name: 'Conformance',
    })
  }),
  ours('2', 'answers are not to be stored or sniffed, and bear a request id', async place => {
    const { id } = await place.newContact()
    for (const reply of [await place.request('GET', `/contacts/${id}`), await place.request('GET', '/contacts/x')]) {
      expectHeader(reply, 'cache-control', /^no-store$/)
      expectHeader(reply, 'x-content-type-options', /^nosniff$/)
      expectHeader(reply, 'x-request-id', /^\S+$/)
      expectEqual('X-Powered-By', reply.headers.get('x-powered-by'), null)
    }
  }),
]
