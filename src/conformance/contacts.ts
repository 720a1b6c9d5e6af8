import * as expect from './expect.ts'
import { bodyOf, dataOf, type Fields } from './reply.ts'
import { ours, type Rule, spec } from './rule.ts'
import type { TestTarget } from './testTarget.ts'

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const keys = ['id', 'name', 'email', 'phone', 'mid', 'wid', 'createdAt', 'updatedAt']
const unknownId = '00000000-0000-7000-8000-000000000000'

const create = (target: TestTarget, json: unknown) => target.request('PUT', '/contacts', { json })
const retrieve = async (target: TestTarget, id: string): Promise<Fields> => {
  const reply = await target.request('GET', `/contacts/${id}`)
  expect.success(reply)
  return dataOf(reply)
}
const whole = (target: TestTarget) => ({
  name: 'Ada Lovelace',
  email: target.freshEmail(),
  phone: '+47 22 33 44 55',
  wid: '+4722334455',
  mid: 'm-1',
})
const picked = (fields: Fields, names: string[]) => Object.fromEntries(names.map(name => [name, fields[name]]))

/** Create, retrieve, update and delete. */
export const contactRules: Rule[] = [
  spec('4.2', 'create a contact returns the contact with its new id', async target => {
    const given = whole(target)
    const reply = await create(target, given)
    expect.success(reply)
    const contact = dataOf(reply)
    expect.that(typeof contact['id'] === 'string' && contact['id'] !== '', 'an id', reply)
    expect.equal('name and email', picked(contact, ['name', 'email']), { name: given.name, email: given.email })
  }),
  spec('4.2', 'create a contact stores every field, and retrieve a contact returns it', async target => {
    const given = whole(target)
    const { id } = await target.newContact(given)
    expect.equal('the contact', picked(await retrieve(target, id), ['id', ...Object.keys(given)]), { id, ...given })
  }),
  spec('4.2', 'create a contact accepts form fields as well as JSON', async target => {
    const given = whole(target)
    const reply = await target.request('PUT', '/contacts', { form: given })
    expect.success(reply)
    expect.equal('the contact', picked(dataOf(reply), Object.keys(given)), given)
  }),
  spec('4.2', 'create a contact requires a name and an email', async target => {
    expect.refusal(await create(target, { name: 'Ada' }))
    expect.refusal(await create(target, { email: target.freshEmail() }))
  }),
  spec('7', 'create a contact returns 400 if the email already exists', async target => {
    const { email } = await target.newContact()
    expect.status(await create(target, { name: 'Another', email }), 400)
  }),
  spec('2.1', 'two contacts have different ids', async target => {
    const [first, second] = [await target.newContact(), await target.newContact()]
    expect.that(first.id !== second.id, 'two ids', first.id)
  }),
  spec('2.1', 'the fields of a contact are strings, and its times ISO 8601 in UTC with milliseconds', async target => {
    const { id } = await target.newContact()
    const contact = await retrieve(target, id)
    const others = Object.entries(contact).filter(([name, value]) => keys.includes(name) && typeof value !== 'string')
    expect.equal('fields that are no strings', others, [])
    for (const name of ['createdAt', 'updatedAt'])
      expect.that(timestamp.test(String(contact[name])), `${name} like 2030-01-15T12:00:00.000Z`, String(contact[name]))
  }),
  spec('4.2', 'retrieve a contact refuses an unknown id', async target => {
    expect.refusal(await target.request('GET', `/contacts/${unknownId}`))
  }),
  spec('4.2', 'update a contact returns 200 without a body, and changes only the given fields', async target => {
    const given = whole(target)
    const { id } = await target.newContact(given)
    expect.empty(await target.request('PATCH', `/contacts/${id}`, { json: { name: 'Ada King', phone: '1' } }), 200)
    const expected = { ...given, name: 'Ada King', phone: '1' }
    expect.equal('the contact', picked(await retrieve(target, id), Object.keys(expected)), expected)
  }),
  spec('2.1', 'update a contact advances updatedAt, and keeps createdAt', async target => {
    const { id } = await target.newContact()
    const before = await retrieve(target, id)
    expect.status(await target.request('PATCH', `/contacts/${id}`, { json: { name: 'Later' } }), 200)
    const after = await retrieve(target, id)
    expect.equal('createdAt', after['createdAt'], before['createdAt'])
    const moved =
      timestamp.test(String(after['updatedAt'])) && String(after['updatedAt']) >= String(before['updatedAt'])
    expect.that(moved, `updatedAt from ${before['updatedAt']} on`, String(after['updatedAt']))
  }),
  spec('7', 'update a contact returns 400 if another contact has the new email', async target => {
    const [first, second] = [await target.newContact(), await target.newContact()]
    expect.status(await target.request('PATCH', `/contacts/${first.id}`, { json: { email: second.email } }), 400)
    expect.equal('its email', (await retrieve(target, first.id))['email'], first.email)
  }),
  spec('4.2', 'delete a contact returns 204 without a body, and the contact no longer exists', async target => {
    const { id } = await target.newContact()
    expect.empty(await target.request('DELETE', `/contacts/${id}`), 204)
    expect.refusal(await target.request('GET', `/contacts/${id}`))
  }),
  spec('2.1', 'the email of a deleted contact can be used again', async target => {
    const { id, email } = await target.newContact()
    expect.status(await target.request('DELETE', `/contacts/${id}`), 204)
    await target.newContact({ email })
  }),
  ours('responses', 'create a contact returns 201', async target => {
    expect.status(await create(target, whole(target)), 201)
  }),
  ours('responses', 'the response to update a contact has no content type', async target => {
    const { id } = await target.newContact()
    const reply = await target.request('PATCH', `/contacts/${id}`, { json: { name: 'Ada' } })
    expect.equal('a content type', reply.headers.get('content-type'), null)
  }),
  ours('contacts', 'a contact always has all eight fields; unset ones are ""', async target => {
    const { id, name, email } = await target.newContact()
    const contact = await retrieve(target, id)
    expect.equal('its fields', Object.keys(contact).sort(), [...keys].sort())
    const unset = { name, email, phone: '', mid: '', wid: '' }
    expect.equal('the contact', picked(contact, Object.keys(unset)), unset)
  }),
  ours('contacts', 'an id is a UUID of version 7, and a path must contain it in lower case', async target => {
    const { id } = await target.newContact()
    expect.that(uuid7.test(id), 'a UUID of version 7', id)
    if (id !== id.toUpperCase())
      expect.problem(await target.request('GET', `/contacts/${id.toUpperCase()}`), 404, 'not_found')
  }),
  ours('responses', 'email_taken has the id of the contact with that email, if it is of the bot', async target => {
    const [first, second] = [await target.newContact(), await target.newContact()]
    const conflict = { field: 'email', contactId: second.id }
    for (const reply of [
      await create(target, { name: 'Another', email: second.email }),
      await target.request('PATCH', `/contacts/${first.id}`, { json: { email: second.email } }),
    ]) {
      expect.problem(reply, 400, 'email_taken')
      expect.equal('conflict', bodyOf(reply)['conflict'], conflict)
    }
  }),
  ours('contacts', 'a contact can be updated with the email that it has', async target => {
    const { id, email } = await target.newContact()
    expect.status(await target.request('PATCH', `/contacts/${id}`, { json: { email, phone: '1' } }), 200)
    expect.equal('email and phone', picked(await retrieve(target, id), ['email', 'phone']), { email, phone: '1' })
  }),
  ours('contacts', 'an update that changes no field changes nothing, not even updatedAt', async target => {
    const { id } = await target.newContact()
    const before = await retrieve(target, id)
    const same = { json: { name: before['name'], email: before['email'], phone: before['phone'] } }
    for (const options of [{ json: {} }, same, {}, { headers: { 'content-type': 'application/json' } }])
      expect.status(await target.request('PATCH', `/contacts/${id}`, options), 200)
    expect.equal('the contact', await retrieve(target, id), before)
    expect.that(timestamp.test(String(before['updatedAt'])), 'a time in updatedAt', String(before['updatedAt']))
  }),
  ours('contacts', '"" clears phone, mid and wid; name and email cannot be empty', async target => {
    const { id } = await target.newContact(whole(target))
    expect.status(await target.request('PATCH', `/contacts/${id}`, { json: { phone: '', mid: '', wid: '' } }), 200)
    expect.equal('the cleared fields', picked(await retrieve(target, id), ['phone', 'mid', 'wid']), {
      phone: '',
      mid: '',
      wid: '',
    })
    for (const field of ['name', 'email'])
      expect.invalid(await target.request('PATCH', `/contacts/${id}`, { json: { [field]: '' } }), `/${field}`)
  }),
  ours('contacts', 'deleting a contact again returns 404', async target => {
    const { id } = await target.newContact()
    expect.status(await target.request('DELETE', `/contacts/${id}`), 204)
    expect.problem(await target.request('DELETE', `/contacts/${id}`), 404, 'not_found')
  }),
  ours('requests', 'a body cannot change the id, the times, the bot or the prototype of a contact', async target => {
    const { id, createdAt } = await target.newContact()
    const body = `{"id":"${unknownId}","createdAt":"2000-01-01T00:00:00.000Z","botId":"x","verified":true,"__proto__":{"name":"x"},"constructor":{}}`
    const headers = { 'content-type': 'application/json' }
    expect.status(await target.request('PATCH', `/contacts/${id}`, { body, headers }), 200)
    expect.equal('id and time', picked(await retrieve(target, id), ['id', 'createdAt', 'name']), {
      id,
      createdAt,
      name: 'Conformance',
    })
  }),
  ours('responses', 'responses forbid caching and sniffing, and have a request id', async target => {
    const { id } = await target.newContact()
    for (const reply of [await target.request('GET', `/contacts/${id}`), await target.request('GET', '/contacts/x')]) {
      expect.header(reply, 'cache-control', /^no-store$/)
      expect.header(reply, 'x-content-type-options', /^nosniff$/)
      expect.header(reply, 'x-request-id', /^\S+$/)
      expect.equal('X-Powered-By', reply.headers.get('x-powered-by'), null)
    }
  }),
]
