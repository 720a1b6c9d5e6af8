import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

const mail = () => `${randomUUID()}@example.com`
const upsert = (data: unknown, testBot = tenants.ours) => testBot.call('PATCH', '/contacts', { json: { data } })
const retrieve = async (id: string) => dataOf(await tenants.ours.call('GET', `/contacts/${id}`))

describe('create contact', () => {
  it('returns 201 with all eight fields as strings, empty if not set', async () => {
    const email = mail()
    const response = await tenants.ours.call('PUT', '/contacts', { json: { name: ' Ada ', email: ` ${email} ` } })
    expect(response.status).toBe(201)
    const at = '2030-01-15T12:00:00.000Z'
    expect(await dataOf(response)).toEqual({
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
      name: 'Ada',
      email,
      phone: '',
      mid: '',
      wid: '',
      createdAt: at,
      updatedAt: at,
    })
  })

  it('returns 400 email_taken, and names the other contact only within the same bot', async () => {
    const { id, email } = await tenants.ours.createContact()
    const json = { name: 'Eve', email: email.replace('example.com', 'EXAMPLE.com') }
    const same = await tenants.ours.call('PUT', '/contacts', { json })
    expect(same.status).toBe(400)
    expect(await same.json()).toMatchObject({ code: 'email_taken', conflict: { field: 'email', contactId: id } })
    const sibling = await tenants.sibling.call('PUT', '/contacts', { json })
    const body = await sibling.text()
    expect(body).toContain('email_taken')
    expect(body).not.toContain('conflict')
    expect(body).not.toContain(id)
  })

  it('allows another organization to have the same email', async () => {
    const { email } = await tenants.ours.createContact()
    expect((await tenants.otherOrganization.call('PUT', '/contacts', { json: { name: 'Ada', email } })).status).toBe(
      201,
    )
  })

  it('refuses a domain without an IDNA form, with a pointer', async () => {
    const json = { name: 'Ada', email: `ada@${'ü'.repeat(60)}.example` }
    const response = await tenants.ours.call('PUT', '/contacts', { json })
    expect(await response.json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/email', code: 'invalid_format' }],
    })
    expect(await (await upsert([{ name: 'Ok', email: mail() }, json])).json()).toMatchObject({
      errors: [{ pointer: '/data/1/email', code: 'invalid_format', index: 1 }],
    })
  })
})

describe('update contact', () => {
  it('returns 200 with an empty body and no JSON content type', async () => {
    const { id } = await tenants.ours.createContact()
    const response = await tenants.ours.call('PATCH', `/contacts/${id}`, { json: { phone: '123' } })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(response.headers.has('content-type')).toBe(false)
    expect(await retrieve(id)).toMatchObject({ phone: '123', name: 'Ada Lovelace' })
  })

  it('changes nothing without a field, including updatedAt, and updates updatedAt with one', async () => {
    const created = await tenants.ours.createContact()
    tenants.clock.advance(1000)
    expect((await tenants.ours.call('PATCH', `/contacts/${created.id}`, { json: {} })).status).toBe(200)
    expect(await retrieve(created.id)).toEqual(created)
    await tenants.ours.call('PATCH', `/contacts/${created.id}`, { json: { name: 'Grace' } })
    const changed = (await retrieve(created.id)) as { createdAt: string; updatedAt: string }
    expect(changed.updatedAt > changed.createdAt).toBe(true)
  })

  it('clears phone, mid and wid with "", but never name or email', async () => {
    const json = { name: 'Ada', email: mail(), phone: '1', mid: 'm', wid: '+4712345678' }
    const { id } = (await dataOf(await tenants.ours.call('PUT', '/contacts', { json }))) as { id: string }
    await tenants.ours.call('PATCH', `/contacts/${id}`, { json: { phone: '', mid: '', wid: '' } })
    expect(await retrieve(id)).toMatchObject({ phone: '', mid: '', wid: '' })
    for (const field of ['name', 'email']) {
      const response = await tenants.ours.call('PATCH', `/contacts/${id}`, { json: { [field]: ' ' } })
      expect(await response.json()).toMatchObject({ errors: [{ pointer: `/${field}`, code: 'too_short' }] })
    }
  })

  it("accepts the contact's own email, and refuses another contact's", async () => {
    const ada = await tenants.ours.createContact()
    const grace = await tenants.ours.createContact()
    const update = async (email: string) =>
      outcomeOf(await tenants.ours.call('PATCH', `/contacts/${ada.id}`, { json: { email } }))
    expect(await update(ada.email.toUpperCase())).toBe('200')
    expect(await update(grace.email)).toBe('400 email_taken')
  })
})

describe('upsert contacts', () => {
  it('creates new and updates existing contacts, with one result per entry in order', async () => {
    const known = await tenants.ours.createContact()
    const fresh = mail()
    const data = [
      { email: known.email, phone: '9' },
      { email: fresh, name: 'New' },
      { email: fresh, wid: '+4712345678' },
    ]
    const response = await upsert(data)
    expect(response.status).toBe(200)
    const results = (await dataOf(response)) as { index: number; id: string }[]
    expect(results.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(results[0]?.id).toBe(known.id)
    expect(results[2]?.id).toBe(results[1]?.id)
    expect(await retrieve(known.id)).toMatchObject({ name: 'Ada Lovelace', phone: '9' })
    expect(await retrieve(results[1]?.id ?? '')).toMatchObject({ name: 'New', wid: '+4712345678' })
  })

  it('writes nothing if any entry is invalid, and points at each invalid entry', async () => {
    const elsewhere = await tenants.sibling.createContact()
    const fresh = mail()
    const response = await upsert([
      { email: fresh, name: 'New' },
      { email: mail() },
      { email: elsewhere.email, name: 'Eve' },
    ])
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'invalid_request',
      errors: [
        { pointer: '/data/1/name', code: 'missing', index: 1 },
        { pointer: '/data/2/email', code: 'email_taken', index: 2 },
      ],
    })
    expect(await dataOf(await tenants.ours.call('POST', `/contacts?query=${fresh}`))).toEqual([])
  })

  it('accepts an empty list and 1000 entries, and refuses 1001 and values that are not a list', async () => {
    expect(await dataOf(await upsert([]))).toEqual([])
    const entries = Array.from({ length: 1001 }, () => ({ email: mail(), name: 'N' }))
    expect(await outcomeOf(await upsert(entries))).toBe('400 too_many_entries')
    expect(await outcomeOf(await upsert(entries.slice(1)))).toBe('200')
    expect(await outcomeOf(await upsert({}))).toBe('400 invalid_request')
    expect(await outcomeOf(await tenants.ours.call('PATCH', '/contacts', { json: {} }))).toBe('400 invalid_request')
  })

  it('reports the first hundred invalid entries', async () => {
    const response = await upsert(Array.from({ length: 150 }, () => ({ email: mail() })))
    const { errors } = (await response.json()) as { errors: unknown[] }
    expect(errors).toHaveLength(100)
  })
})

describe('search, retrieve, delete', () => {
  it('returns the newest first, with pagination of the complete result', async () => {
    const own = await createTestTenants()
    const ids: string[] = []
    for (let count = 0; count < 3; count++) {
      own.clock.advance(1)
      ids.unshift((await own.ours.createContact()).id)
    }
    const response = await own.ours.call('POST', '/contacts?limit=2&page=2')
    const { data, pagination } = (await response.json()) as { data: { id: string }[]; pagination: object }
    expect(data.map(({ id }) => id)).toEqual(ids.slice(2))
    expect(pagination).toMatchObject({ total: 3, page: 2, limit: 2, totalPages: 2, startIndex: 2, endIndex: 2 })
    // A client that reads pages until one is empty comes to an end.
    for (const page of [3, 9, 999_999_999_999_999])
      expect(await (await own.ours.call('POST', `/contacts?limit=2&page=${page}`)).json()).toMatchObject({
        data: [],
        pagination: { total: 3, page, limit: 2, totalPages: 2, startIndex: 3, endIndex: 2, pages: [1, 2] },
      })
    expect(await dataOf(await own.sibling.call('POST', '/contacts'))).toEqual([])
    await own.close()
  })

  it('returns 404 for a deleted contact, also when it is deleted again', async () => {
    const { id } = await tenants.ours.createContact()
    expect((await tenants.ours.call('DELETE', `/contacts/${id}`)).status).toBe(204)
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(await outcomeOf(await tenants.ours.call(method, `/contacts/${id}`))).toBe('404 not_found')
  })

  it('does not give access to the old conversation if the email is used again', async () => {
    const { id, email } = await tenants.ours.createContact()
    const old = await tenants.ours.contactToken(id)
    await tenants.ours.send(old, 'a secret')
    await tenants.ours.call('DELETE', `/contacts/${id}`)
    const recreated = await tenants.ours.createContact({ email })
    const fresh = await tenants.ours.contactToken(recreated.id)
    expect(await dataOf(await tenants.ours.call('GET', '/widget/messages', { token: fresh }))).toEqual([])
    expect(await outcomeOf(await tenants.ours.call('GET', '/widget/messages', { token: old }))).toBe(
      '401 contact_deleted',
    )
  })
})
