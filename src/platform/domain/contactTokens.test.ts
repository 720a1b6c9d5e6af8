import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf, readEvents, type TestTenants } from '../testing/testTenants.ts'
import { aYearAfter } from './contactTokens.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

interface Token {
  token: string
}
interface Dates {
  createdAt: string
  expiresAt: string
}
const create = (json: unknown, method = 'PUT', testBot = tenants.ours) =>
  testBot.call(method, '/auth/contacts', { json })
const status = async (token: string, testBot = tenants.ours) =>
  (await testBot.call('GET', '/widget/session', { token })).status

describe('create contact token', () => {
  it('returns 201 by id and by email, with PUT and POST, as JSON and as form', async () => {
    const { id, email } = await tenants.ours.createContact()
    const responses = [
      await create({ id }),
      await create({ email: email.toUpperCase() }, 'POST'),
      await create({ id, email }),
      await tenants.ours.call('PUT', '/auth/contacts', { form: { email } }),
    ]
    for (const response of responses) {
      expect(response.status).toBe(201)
      expect(response.headers.get('cache-control')).toBe('no-store')
      const data = (await dataOf(response)) as { token: string }
      expect(data).toEqual({
        token: expect.stringMatching(/^c:[\da-f]{64}$/),
        createdAt: '2030-01-15T12:00:00.000Z',
        expiresAt: '2031-01-15T12:00:00.000Z',
      })
      expect(await status(data.token)).toBe(200)
    }
  })

  it('refuses a request without id and email, with conflicting ones, and for an unknown contact', async () => {
    const ada = await tenants.ours.createContact()
    const grace = await tenants.ours.createContact()
    expect(await outcomeOf(await create({}))).toBe('400 invalid_request')
    expect(await outcomeOf(await create({ id: ada.id, email: grace.email }))).toBe('400 contact_mismatch')
    expect(await outcomeOf(await create({ email: 'nobody@example.com' }))).toBe('404 not_found')
    expect(await outcomeOf(await create({ id: 'no such form' }))).toBe('404 not_found')
    expect(await outcomeOf(await create({ email: ada.email }, 'PUT', tenants.sibling))).toBe('404 not_found')
  })

  it('treats an empty form field as not given', async () => {
    const { id, email } = await tenants.ours.createContact()
    for (const fields of [
      { id: '', email },
      { id, email: '' },
    ]) {
      const { token } = (await dataOf(await tenants.ours.call('PUT', '/auth/contacts', { form: fields }))) as Token
      expect(await dataOf(await tenants.ours.call('GET', '/widget/session', { token }))).toMatchObject({
        contact: { id },
      })
    }
    expect(await outcomeOf(await create({ id: '', email: '' }))).toBe('400 invalid_request')
  })

  it.each([300, 86_400, 31_536_000])('expires after %i seconds where the request asks for that', async seconds => {
    const { id } = await tenants.ours.createContact()
    const { createdAt, expiresAt } = (await dataOf(await create({ id, expiresInSeconds: seconds }))) as Dates
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(seconds * 1000)
  })

  it.each([299, 31_536_001, 300.5, 0, -1, '600', null])('refuses to expire after %j seconds', async seconds => {
    const { id } = await tenants.ours.createContact()
    const refused = await create({ id, expiresInSeconds: seconds })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/expiresInSeconds' }] })
  })

  it('refuses a form that asks for a short life, rather than to make a token for a year', async () => {
    const { email } = await tenants.ours.createContact()
    const refused = await tenants.ours.call('PUT', '/auth/contacts', { form: { email, expiresInSeconds: '600' } })
    expect(await refused.json()).toMatchObject({
      status: 400,
      errors: [{ pointer: '/expiresInSeconds', code: 'wrong_type', detail: 'Must be a number, in a JSON body.' }],
    })
  })

  it('is valid for a calendar year to the millisecond, and 29 February becomes 1 March', () => {
    const yearFrom = (text: string) => new Date(aYearAfter(Date.parse(text))).toISOString()
    expect(yearFrom('2028-02-29T23:59:59.999Z')).toBe('2029-03-01T23:59:59.999Z')
    expect(yearFrom('2027-03-01T00:00:00.000Z')).toBe('2028-03-01T00:00:00.000Z')
    expect(yearFrom('2030-12-31T12:34:56.789Z')).toBe('2031-12-31T12:34:56.789Z')
  })
})

describe('revoke contact token', () => {
  it('takes effect before the response, percent-encoded or not, and returns 204 again', async () => {
    const { id } = await tenants.ours.createContact()
    for (const write of [(token: string) => token, encodeURIComponent]) {
      const token = await tenants.ours.contactToken(id)
      expect(await status(token)).toBe(200)
      for (let time = 0; time < 2; time++)
        expect((await tenants.ours.call('DELETE', `/auth/contacts/${write(token)}`)).status).toBe(204)
      expect(await status(token)).toBe(401)
    }
  })

  it('returns 204 for a token that was never issued here, and keeps a token of another bot valid', async () => {
    const { id } = await tenants.otherOrganization.createContact()
    const otherOrganization = await tenants.otherOrganization.contactToken(id)
    const visitor = await tenants.ours.visitorToken()
    for (const token of [otherOrganization, visitor, `c:${randomBytes(32).toString('hex')}`, 'nonsense', '%'])
      expect((await tenants.ours.call('DELETE', `/auth/contacts/${token}`)).status).toBe(204)
    expect(await status(otherOrganization, tenants.otherOrganization)).toBe(200)
    expect(await status(visitor)).toBe(200)
  })

  it('signs a contact out everywhere, including streams', async () => {
    const { id } = await tenants.ours.createContact()
    const tokens = [await tenants.ours.contactToken(id), await tenants.ours.contactToken(id)]
    const streams = await Promise.all(tokens.map(token => tenants.ours.call('GET', '/widget/events', { token })))
    expect((await tenants.ours.call('DELETE', `/contacts/${id}/tokens`)).status).toBe(204)
    for (const token of tokens) expect(await status(token)).toBe(401)
    for (const stream of streams)
      expect(await readEvents(stream).nextOf('session.ended')).toMatchObject({ data: { reason: 'revoked' } })
    expect(await outcomeOf(await tenants.ours.call('DELETE', '/contacts/nobody/tokens'))).toBe('404 not_found')
  })
})
