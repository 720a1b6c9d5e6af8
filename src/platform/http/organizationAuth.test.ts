import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { timestamp } from '../domain/time.ts'
import { createTestTenants, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

const search = (headers: Record<string, string>) => tenants.ours.call('POST', '/contacts', { token: '', headers })
const outcome = async (authorization: string) => outcomeOf(await search({ authorization }))

describe('organizationAuth', () => {
  it('accepts Bearer in any case, and the bare token', async () => {
    const { organizationToken } = tenants.ours
    for (const prefix of ['Bearer ', 'bearer ', 'BEARER  ', ''])
      expect(await outcome(prefix + organizationToken)).toBe('200')
  })

  it('refuses missing, blank, invalid and other-scheme credentials with 401 and a challenge', async () => {
    const digest = 'Digest username="a", realm="b", nonce="c", response="d"'
    const credentials = ['', 'Bearer', 'Bearer ', 'Bearer a b', 'Basic YTpi', digest, `o_${'x'.repeat(43)}`, 'é']
    for (const authorization of credentials) {
      const response = await search({ authorization })
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="natter"/)
      expect(await outcomeOf(response)).toBe('401 unauthorized')
    }
    const none = await search({})
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="natter"')
    const unknown = await search({ authorization: `Bearer o_${'x'.repeat(43)}` })
    expect(unknown.headers.get('www-authenticate')).toBe('Bearer realm="natter", error="invalid_token"')
  })

  it('refuses two Authorization headers with 400, even if one is valid', async () => {
    const good = `Bearer ${tenants.ours.organizationToken}`
    const url = `http://natter.test/v1/bots/${tenants.ours.bot.id}/contacts`
    for (const other of [good, 'Basic abc', 'Digest username="x"', 'x', '']) {
      for (const pair of [
        [good, other],
        [other, good],
      ]) {
        const headers = new Headers(pair.map((value): [string, string] => ['authorization', value]))
        const response = await tenants.platform.fetch(new Request(url, { method: 'POST', headers }))
        expect([other, await outcomeOf(response)]).toEqual([other, '400 invalid_request'])
      }
    }
  })

  it('ignores tokens in the query or the body', async () => {
    const { organizationToken } = tenants.ours
    const path = `/contacts?access_token=${organizationToken}&token=${organizationToken}`
    expect(await outcomeOf(await tenants.ours.call('POST', path, { token: '' }))).toBe('401 unauthorized')
    const form = { access_token: organizationToken, name: 'Ada', email: 'ada@example.com' }
    expect(await outcomeOf(await tenants.ours.call('PUT', '/contacts', { token: '', form }))).toBe('401 unauthorized')
  })

  it('refuses a revoked organization token, and says that it has been revoked', async () => {
    const own = await createTestTenants()
    await own.store.revokeOrganizationTokens({ prefix: own.ours.organizationToken.slice(0, 10) }, timestamp(0))
    const refused = await own.ours.call('POST', '/contacts')
    expect(await refused.clone().json()).toMatchObject({ detail: expect.stringContaining('has been revoked') })
    expect(await outcomeOf(refused)).toBe('401 unauthorized')
    expect((await own.otherOrganization.call('POST', '/contacts')).status).toBe(200)
    await own.close()
  })

  it('refuses browsers with any token, and sends no CORS header', async () => {
    const authorization = `Bearer ${tenants.ours.organizationToken}`
    for (const seen of [{ origin: 'https://shop.example' }, { 'sec-fetch-site': 'same-origin' }]) {
      for (const headers of [{ ...seen, authorization }, seen]) {
        const response = await search(headers as unknown as Record<string, string>)
        expect([...response.headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
        expect(await outcomeOf(response)).toBe('403 organization_token_in_browser')
      }
    }
    // Node's own fetch sends this header.
    const node = await search({ authorization, 'sec-fetch-mode': 'cors' })
    expect(node.status).toBe(200)
  })

  it('distinguishes open contact and visitor tokens from unknown ones: 403 and 401', async () => {
    const { id } = await tenants.ours.createContact()
    const contactToken = await tenants.ours.contactToken(id)
    expect(await outcome(contactToken)).toBe('403 insufficient_scope')
    expect(await outcome(await tenants.ours.visitorToken())).toBe('403 insufficient_scope')
    await tenants.ours.call('DELETE', `/auth/contacts/${contactToken}`)
    expect(await outcome(contactToken)).toBe('401 unauthorized')
    expect(await outcome(`c:${randomBytes(32).toString('hex')}`)).toBe('401 unauthorized')
  })

  it('records the last use of a token at most every 5 minutes, and no request waits for it or fails because of it', async () => {
    const own = await createTestTenants()
    const { ours, clock, store } = own
    const lastUse = async () => {
      const tokens = await store.listOrganizationTokens(ours.bot.organizationId)
      return tokens[0]?.lastUsedAt
    }
    let notes = 0
    const { touchOrganizationToken } = store
    store.touchOrganizationToken = async (...args) => {
      notes += 1
      await touchOrganizationToken(...args)
    }
    const start = clock.now()
    for (let minute = 0; minute < 12; minute += 1) {
      await ours.call('POST', '/contacts')
      clock.advance(60_000)
    }
    expect(notes).toBe(3)
    await expect.poll(lastUse).toBe(timestamp(start + 10 * 60_000))
    // The clock is set back by a year.
    clock.advance(-365 * 24 * 60 * 60_000)
    await ours.call('POST', '/contacts')
    expect(notes).toBe(4)

    clock.advance(6 * 60_000)
    const { promise, reject } = Promise.withResolvers<void>()
    store.touchOrganizationToken = () => promise
    expect((await ours.call('POST', '/contacts')).status).toBe(200)
    reject(new Error('the disk is full'))
    await expect.poll(() => own.lines.some(line => line.includes('the disk is full'))).toBe(true)
    await own.close()
  })
})
