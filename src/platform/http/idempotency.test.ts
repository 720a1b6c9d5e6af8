import { afterAll, describe, expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf, type TestBot } from '../testing/testTenants.ts'
import { parseIdempotencyKey } from './idempotency.ts'

const tenants = await createTestTenants()
afterAll(() => tenants.close())

const once = (key: string) => ({ 'idempotency-key': key })
const create = (key: string, email: string, testBot: TestBot = tenants.ours) =>
  testBot.call('PUT', '/contacts', { json: { name: 'Ada', email }, headers: once(key) })
const isReplayed = ({ headers }: Response) => headers.get('idempotent-replayed')

describe('parseIdempotencyKey', () => {
  it('accepts the quoted string of the IETF draft and the bare form as the same key', () => {
    for (const text of ['abc', '"abc"', 'a"c', '"a\\"c"', '"a\\\\c"', 'x'.repeat(255), '~!'])
      expect(parseIdempotencyKey(text)).toMatch(/^[\x21-\x7e]+$/)
    expect(parseIdempotencyKey('"a\\"c"')).toBe(parseIdempotencyKey('a"c'))
    expect(parseIdempotencyKey('"8e03978e"')).toBe('8e03978e')
  })

  it('refuses all other values', () => {
    for (const text of ['', '""', '"', '"abc', '"a"b"', 'a b', '"a b"', 'a, b', '"a", "b"', 'é', 'x'.repeat(256)])
      expect(() => parseIdempotencyKey(text)).toThrow('1 to 255 visible ASCII')
  })
})

describe('Idempotency-Key', () => {
  it('is scoped to its bot and its operation', async () => {
    expect((await create('shared', 'shared@example.com')).status).toBe(201)
    expect(isReplayed(await create('shared', 'sibling@example.com', tenants.sibling))).toBeNull()
    expect((await create('shared', 'shared@example.com', tenants.otherOrganization)).status).toBe(201)
    const json = { email: 'shared@example.com' }
    const token = await tenants.ours.call('PUT', '/auth/contacts', { json, headers: once('shared') })
    expect([token.status, isReplayed(token)]).toEqual([201, null])
    const data = { data: [{ name: 'Ada', email: 'shared@example.com' }] }
    const upsert = await tenants.ours.call('PATCH', '/contacts', { json: data, headers: once('shared') })
    expect([upsert.status, isReplayed(upsert)]).toEqual([200, null])
  })

  it('is the same quoted or not, and the body the same as JSON or as a form', async () => {
    const first = await create('create-1', 'once@example.com')
    const form = { name: 'Ada', email: 'once@example.com' }
    const again = await tenants.ours.call('PUT', '/contacts', { form, headers: once('"create-1"') })
    expect([isReplayed(first), isReplayed(again)]).toEqual([null, 'true'])
    expect(await dataOf(again)).toEqual(await dataOf(first))
  })

  it('is valid for 24 hours', async () => {
    const { ours, clock } = await createTestTenants()
    const createAgain = () => create('a-day', 'a-day@example.com', ours)
    expect((await createAgain()).status).toBe(201)
    clock.advance(24 * 60 * 60 * 1000 - 1)
    expect(isReplayed(await createAgain())).toBe('true')
    clock.advance(1)
    expect(await outcomeOf(createAgain())).toBe('400 email_taken')
  })

  it('ends the streams of the token that a repeated request replaces, with PUT and POST', async () => {
    const { id } = await tenants.ours.createContact()
    const options = { json: { id }, headers: once('token-1') }
    const { token } = await dataOf<{ token: string }>(tenants.ours.call('PUT', '/auth/contacts', options))
    const events = await tenants.ours.events(token)
    const repeated = await tenants.ours.call('POST', '/auth/contacts', options)
    expect([repeated.status, isReplayed(repeated)]).toEqual([201, 'true'])
    expect((await events.nextOf('session.ended')).data).toEqual({ reason: 'revoked' })
  })

  it('is explained if invalid, and ignored where it does not apply', async () => {
    const refused = await create('two words', 'words@example.com')
    expect(await refused.text()).toContain('1 to 255 visible ASCII characters')
    const { id } = await tenants.ours.createContact()
    expect((await tenants.ours.call('GET', `/contacts/${id}`, { headers: once('two words') })).status).toBe(200)
  })
})

describe('Idempotency-Attempt', () => {
  it('is a whole number from 1, of at most 15 digits', async () => {
    const { id } = await tenants.ours.createContact()
    const attempt = async (number: string) => {
      const headers = { ...once('token-2'), 'idempotency-attempt': number }
      return outcomeOf(tenants.ours.call('PUT', '/auth/contacts', { json: { id }, headers }))
    }
    for (const number of ['1', '3', String(Date.UTC(2026, 0)), '9'.repeat(15)])
      expect(await attempt(number)).toBe('201')
    for (const number of ['0', '-1', '1.5', '01', '9'.repeat(16)])
      expect(await attempt(number)).toBe('400 invalid_request')
  })
})
