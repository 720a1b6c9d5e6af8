import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createTestTenants,
  dataOf,
  outcomeOf,
  readEvents,
  type TestBot,
  type TestTenants,
} from '../testing/testTenants.ts'
import { parseIdempotencyKey } from './idempotency.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

const once = (key: string) => ({ 'idempotency-key': key })
const create = (key: string, email: string, testBot: TestBot = tenants.ours, name = 'Ada') =>
  testBot.call('PUT', '/contacts', { json: { name, email }, headers: once(key) })
const isReplayed = ({ headers }: Response) => headers.get('idempotent-replayed')
const totalOf = async (email: string) => {
  const response = await tenants.ours.call('POST', `/contacts?query=${email}`)
  return ((await response.json()) as { pagination: { total: number } }).pagination.total
}

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
  it('returns the existing contact when a create is repeated', async () => {
    const first = await create('create-1', 'once@example.com')
    const repeated = await create('"create-1"', 'once@example.com')
    expect([first.status, isReplayed(first)]).toEqual([201, null])
    expect([repeated.status, isReplayed(repeated)]).toEqual([201, 'true'])
    expect(await dataOf(repeated)).toEqual(await dataOf(first))
    const form = { name: 'Ada', email: 'once@example.com' }
    const asForm = await tenants.ours.call('PUT', '/contacts', { form, headers: once('create-1') })
    expect(isReplayed(asForm)).toBe('true')
  })

  it('merges concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => create('at-once', 'at-once@example.com')))
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(201))
    expect(responses.map(isReplayed).filter(value => value === null)).toHaveLength(1)
    expect(
      new Set(await Promise.all(responses.map(async response => JSON.stringify(await dataOf(response))))).size,
    ).toBe(1)
    expect(await totalOf('at-once@example.com')).toBe(1)
  })

  it('refuses another body under the same key with 422', async () => {
    await create('reused', 'reused@example.com')
    const other = await create('reused', 'other@example.com')
    expect(isReplayed(other)).toBeNull()
    expect(await outcomeOf(other)).toBe('422 idempotency_key_reused')
    const upsert = { json: { data: [{ name: 'Ada', email: 'u1@example.com' }] }, headers: once('upsert-reused') }
    expect((await tenants.ours.call('PATCH', '/contacts', upsert)).status).toBe(200)
    const otherUpsert = { json: { data: [] }, headers: once('upsert-reused') }
    expect(await outcomeOf(await tenants.ours.call('PATCH', '/contacts', otherUpsert))).toBe(
      '422 idempotency_key_reused',
    )
    expect(await totalOf('other@example.com')).toBe(0)
  })

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

  it('stores only successes: a refused request can be corrected under the same key', async () => {
    await tenants.ours.createContact({ email: 'taken@example.com' })
    expect(await outcomeOf(await create('corrected', 'taken@example.com'))).toBe('400 email_taken')
    expect(await outcomeOf(await create('corrected', 'no address'))).toBe('400 invalid_request')
    const corrected = await create('corrected', 'corrected@example.com')
    expect([corrected.status, isReplayed(corrected)]).toEqual([201, null])
  })

  it('is valid for 24 hours', async () => {
    const own = await createTestTenants()
    expect((await create('a-day', 'a-day@example.com', own.ours)).status).toBe(201)
    own.clock.advance(24 * 60 * 60 * 1000 - 1)
    expect(isReplayed(await create('a-day', 'a-day@example.com', own.ours))).toBe('true')
    own.clock.advance(1)
    expect(await outcomeOf(await create('a-day', 'a-day@example.com', own.ours))).toBe('400 email_taken')
    await own.close()
  })

  it('returns the same ids when an upsert is repeated, even if a contact has changed since', async () => {
    const data = ['a', 'b'].map(name => ({ name, email: `upsert-${name}@example.com` }))
    const upsert = () => tenants.ours.call('PATCH', '/contacts', { json: { data }, headers: once('upsert-1') })
    const first = await dataOf(await upsert())
    const [{ id }] = first as [{ id: string }]
    await tenants.ours.call('PATCH', `/contacts/${id}`, { json: { name: 'Changed' } })
    const repeated = await upsert()
    expect(isReplayed(repeated)).toBe('true')
    expect(await dataOf(repeated)).toEqual(first)
    expect(await dataOf(await tenants.ours.call('GET', `/contacts/${id}`))).toMatchObject({ name: 'Changed' })
  })

  it('makes a repeated create token revoke the first token, end its streams and issue another, with PUT and POST', async () => {
    const { id } = await tenants.ours.createContact()
    const tokenOf = async (response: Response) => ((await dataOf(response)) as { token: string }).token
    const options = { json: { id }, headers: once('token-1') }
    const first = await tokenOf(await tenants.ours.call('PUT', '/auth/contacts', options))
    const events = readEvents(await tenants.ours.call('GET', '/widget/events', { token: first }))
    const repeated = await tenants.ours.call('POST', '/auth/contacts', options)
    expect([repeated.status, isReplayed(repeated)]).toEqual([201, 'true'])
    expect((await events.nextOf('session.ended')).data).toEqual({ reason: 'revoked' })
    const second = await tokenOf(repeated)
    expect(second).not.toBe(first)
    const session = (token: string) => tenants.ours.call('GET', '/widget/session', { token })
    expect(await outcomeOf(await session(first))).toBe('401 token_revoked')
    expect((await session(second)).status).toBe(200)
    const reused = await tenants.ours.call('PUT', '/auth/contacts', {
      json: { id, email: 'a@example.com' },
      headers: once('token-1'),
    })
    expect(await outcomeOf(reused)).toBe('422 idempotency_key_reused')
  })

  it('is explained if invalid, and ignored where it does not apply', async () => {
    const refused = await create('two words', 'words@example.com')
    expect(await refused.text()).toContain('1 to 255 visible ASCII characters')
    const { id } = await tenants.ours.createContact()
    expect((await tenants.ours.call('GET', `/contacts/${id}`, { headers: once('two words') })).status).toBe(200)
  })

  it('leaves what has changed since alone when an update arrives again', async () => {
    const { id } = await tenants.ours.createContact()
    const update = async (phone: string, key: string) =>
      tenants.ours.call('PATCH', `/contacts/${id}`, { json: { phone }, headers: once(key) })
    expect((await update('111', 'first')).status).toBe(200)
    expect((await update('222', 'second')).status).toBe(200)
    const again = await update('111', 'first')
    expect([again.status, isReplayed(again), await again.text()]).toEqual([200, 'true', ''])
    const contact = await dataOf(await tenants.ours.call('GET', `/contacts/${id}`))
    expect(contact).toMatchObject({ phone: '222' })
    expect(await outcomeOf(await update('333', 'first'))).toBe('422 idempotency_key_reused')
  })

  it('keeps the token of a later attempt when an earlier one arrives after it', async () => {
    const { id } = await tenants.ours.createContact()
    const attempt = (number: string) =>
      tenants.ours.call('PUT', '/auth/contacts', {
        json: { id },
        headers: { ...once('token-2'), 'idempotency-attempt': number },
      })
    const { token } = (await dataOf(await attempt('2'))) as { token: string }
    expect(await outcomeOf(await attempt('1'))).toBe('409 attempt_superseded')
    expect((await tenants.ours.call('GET', '/widget/session', { token })).status).toBe(200)
    expect((await attempt('3')).status).toBe(201)
    expect((await attempt(String(Date.UTC(2026, 0)))).status).toBe(201)
    expect((await attempt('9'.repeat(15))).status).toBe(201)
    for (const number of ['0', '-1', '1.5', '01', '9'.repeat(16)])
      expect(await outcomeOf(await attempt(number))).toBe('400 invalid_request')
  })
})
