import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpointsOf, requestTo } from '../testing/endpointRequests.ts'
import { createTestTenants, dataOf, outcomeOf, readEvents, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

const day = 24 * 60 * 60 * 1000
/** Endpoints that store nothing for the contact, so they may finish after the session has ended. */
const mayStillSucceed = /^(endSession|listMessages|retrieveSession|streamEvents)/
const session = async (token: string, testBot = tenants.ours) =>
  outcomeOf(await testBot.call('GET', '/widget/session', { token }))

describe('widgetAuth', () => {
  it('refuses missing and invalid tokens and those of another bot as unauthorized', async () => {
    const { id } = await tenants.ours.createContact()
    const token = await tenants.ours.contactToken(id)
    for (const other of [tenants.sibling, tenants.otherOrganization])
      expect(await session(token, other)).toBe('401 unauthorized')
    for (const garbage of ['', 'x', `c:${'0'.repeat(64)}`, `C:${token.slice(2)}`, token.toUpperCase()])
      expect(await session(garbage)).toBe('401 unauthorized')
    expect(await session(token)).toBe('200')
  })

  it('refuses an organization token with insufficient_scope', async () => {
    expect(await session(tenants.ours.organizationToken)).toBe('403 insufficient_scope')
    expect(await session(tenants.otherOrganization.organizationToken)).toBe('403 insufficient_scope')
  })

  it('says why a token has ended: revoked, logged out, contact deleted', async () => {
    const { id } = await tenants.ours.createContact()
    const [revoked, loggedOut, left] = await Promise.all([1, 2, 3].map(() => tenants.ours.contactToken(id)))
    await tenants.ours.call('DELETE', `/auth/contacts/${revoked}`)
    await tenants.ours.call('DELETE', '/widget/session', { token: loggedOut ?? '' })
    expect(await session(revoked ?? '')).toBe('401 token_revoked')
    expect(await session(loggedOut ?? '')).toBe('401 token_revoked')
    expect(await session(left ?? '')).toBe('200')
    await tenants.ours.call('DELETE', `/contacts/${id}`)
    expect(await session(left ?? '')).toBe('401 contact_deleted')
  })

  it('ends an anonymous session 24 h after its last use, not after its start', async () => {
    const own = await createTestTenants()
    const token = await own.ours.visitorToken()
    for (let use = 0; use < 3; use++) {
      own.clock.advance(day - 1000)
      expect(await session(token, own.ours)).toBe('200')
    }
    own.clock.advance(day)
    expect(await session(token, own.ours)).toBe('401 token_expired')
    await own.close()
  })

  it('writes the expiry of a session at most every few minutes', async () => {
    const own = await createTestTenants()
    const token = await own.ours.visitorToken()
    let writes = 0
    const { extendSession } = own.store
    own.store.extendSession = async (...args) => {
      writes++
      return extendSession(...args)
    }
    for (let use = 0; use < 20; use++) {
      own.clock.advance(60_000)
      await session(token, own.ours)
    }
    expect(writes).toBe(4)
    await own.close()
  })

  it('ends a contact token after one year', async () => {
    const own = await createTestTenants()
    const { id } = await own.ours.createContact()
    const token = await own.ours.contactToken(id)
    own.clock.advance(365 * day - 1)
    expect(await session(token, own.ours)).toBe('200')
    own.clock.advance(1)
    expect(await session(token, own.ours)).toBe('401 token_expired')
    await own.close()
  })

  it('takes the identity only from the token', async () => {
    const grace = await tenants.ours.createContact({ name: 'Grace Hopper' })
    const ada = await tenants.ours.createContact()
    const token = await tenants.ours.contactToken(ada.id)
    const json = {
      id: '11111111-1111-4111-8111-111111111111',
      text: 'Hello',
      author: 'bot',
      contactId: grace.id,
      botId: tenants.otherOrganization.bot.id,
      verified: true,
      createdAt: '1999-01-01T00:00:00.000Z',
      seq: 99,
    }
    const sent = await dataOf(await tenants.ours.call('POST', '/widget/messages', { token, json }))
    expect(sent).toMatchObject({ author: 'visitor', seq: 1, createdAt: expect.stringMatching(/^2030/) })
    const own = await dataOf(await tenants.ours.call('GET', `/widget/session?contactId=${grace.id}`, { token }))
    expect(own).toMatchObject({ contact: { id: ada.id, name: 'Ada Lovelace' } })
  })

  it.each(endpointsOf('widget'))(
    '%s says why, if the session ends between its check and its use',
    async (...endpoint) => {
      const own = await createTestTenants()
      await own.store.updateBot(own.ours.bot.id, { handover: true, ratings: true, attachments: true })
      const { findSession } = own.store
      for (const [end, code] of [
        ['revoke', 'token_revoked'],
        ['delete contact', 'contact_deleted'],
      ] as const) {
        const { id } = await own.ours.createContact()
        const token = await own.ours.contactToken(id)
        own.store.findSession = async hash => {
          own.store.findSession = findSession
          const found = await findSession(hash)
          await own.ours.call('DELETE', end === 'revoke' ? `/auth/contacts/${token}` : `/contacts/${id}`)
          return found
        }
        const response = await requestTo(own.platform, endpoint, { botId: own.ours.bot.id }, token)
        if (response.ok) expect(endpoint[0]).toMatch(mayStillSucceed)
        else expect(await outcomeOf(response)).toBe(`401 ${code}`)
        if (endpoint[1].success.stream) await readEvents(response).nextOf('session.ended')
      }
      await own.close()
    },
  )
})
