import { describe, expect, it, vi } from 'vitest'
import { growth, linearGrowth } from '../../contract/testing/growth.ts'
import { timestamp } from '../domain/time.ts'
import { endpointsOf, requestTo } from '../testing/endpointRequests.ts'
import { createTestTenants, dataOf, outcomeOf, readEvents, type TestBot } from '../testing/testTenants.ts'
import { bearerOf, lastWordOf } from './auth.ts'

const headersOf = (...values: string[]) =>
  new Headers(values.map((value): [string, string] => ['authorization', value]))

describe('reading an Authorization header', () => {
  it.each([
    ['Bearer c:12', 'c:12'],
    ['bearer   c:12 ', 'c:12'],
    ['c:12', 'c:12'],
    ['', ''],
  ])('finds the token of "%s", checked or not', (header, token) => {
    expect(lastWordOf(headersOf(header))).toBe(token)
    if (token !== '') expect(bearerOf(headersOf(header))).toBe(token)
  })

  it.each(['Bearer o_1', 'Basic abc', 'Digest username="x"', 'x', ''])(
    'refuses two of them, even if one is valid and the other is "%s"',
    other => {
      for (const headers of [headersOf('Bearer o_1', other), headersOf(other, 'Bearer o_1')])
        expect(() => bearerOf(headers)).toThrow('Send one Authorization header.')
    },
  )

  it.each<[string, (length: number) => string]>([
    ['a long word before the last one', length => `${'a'.repeat(length)} b`],
    ['many words', length => 'a '.repeat(length / 2)],
    ['spaces', length => `a${' '.repeat(length)}b`],
    ['commas', length => `a${', a'.repeat(length / 3)} b`],
    ['equals signs', length => `a, ${'='.repeat(length)} b`],
  ])('takes at most fifteen times as long for ten times the input: %s', (_, text) => {
    const read = (header: string) => {
      const headers = headersOf(header)
      lastWordOf(headers)
      try {
        bearerOf(headers)
      } catch {
        // None of them is a token.
      }
    }
    expect(growth(read, length => text(length / 10))).toBeLessThanOrEqual(linearGrowth)
  })
})

describe('organizationAuth', () => {
  it('says that an organization token has been revoked', async () => {
    const { store, ours, otherOrganization } = await createTestTenants()
    await store.revokeOrganizationTokens({ prefix: ours.organizationToken.slice(0, 10) }, timestamp(0))
    const refused = await ours.call('POST', '/contacts')
    expect(await refused.json()).toMatchObject({ status: 401, detail: expect.stringContaining('has been revoked') })
    expect((await otherOrganization.call('POST', '/contacts')).status).toBe(200)
  })

  it('records the last use of a token at most every 5 minutes, and no request waits for it or fails because of it', async () => {
    const { ours, clock, store, lines } = await createTestTenants()
    const lastUse = async () => (await store.listOrganizationTokens(ours.bot.organizationId))[0]?.lastUsedAt
    const touch = vi.spyOn(store, 'touchOrganizationToken')
    const start = clock.now()
    for (let minute = 0; minute < 12; minute += 1) {
      await ours.call('POST', '/contacts')
      clock.advance(60_000)
    }
    expect(touch).toHaveBeenCalledTimes(3)
    await expect.poll(lastUse).toBe(timestamp(start + 10 * 60_000))
    // The clock is set back by a year.
    clock.advance(-365 * 24 * 60 * 60_000)
    await ours.call('POST', '/contacts')
    expect(touch).toHaveBeenCalledTimes(4)

    clock.advance(6 * 60_000)
    const { promise, reject } = Promise.withResolvers<void>()
    touch.mockReturnValueOnce(promise)
    expect((await ours.call('POST', '/contacts')).status).toBe(200)
    reject(new Error('the disk is full'))
    await expect.poll(() => lines.some(line => line.includes('the disk is full'))).toBe(true)
  })
})

describe('widgetAuth', () => {
  const session = async ({ call }: TestBot, token: string) => outcomeOf(call('GET', '/widget/session', { token }))

  it('ends an anonymous session 24 h after its last use, not after its start', async () => {
    const { ours, clock } = await createTestTenants()
    const day = 24 * 60 * 60 * 1000
    const token = await ours.visitorToken()
    for (let use = 0; use < 3; use++) {
      clock.advance(day - 1000)
      expect(await session(ours, token)).toBe('200')
    }
    clock.advance(day)
    expect(await session(ours, token)).toBe('401 token_expired')
  })

  it('writes the expiry of a session at most every few minutes', async () => {
    const { ours, clock, store } = await createTestTenants()
    const token = await ours.visitorToken()
    const extend = vi.spyOn(store, 'extendSession')
    for (let use = 0; use < 20; use++) {
      clock.advance(60_000)
      await session(ours, token)
    }
    expect(extend).toHaveBeenCalledTimes(4)
  })

  it('takes the identity only from the token', async () => {
    const { ours, otherOrganization } = await createTestTenants()
    const grace = await ours.createContact({ name: 'Grace Hopper' })
    const ada = await ours.createContact()
    const token = await ours.contactToken(ada.id)
    const json = {
      id: '11111111-1111-4111-8111-111111111111',
      text: 'Hello',
      author: 'bot',
      contactId: grace.id,
      botId: otherOrganization.bot.id,
      verified: true,
      createdAt: '1999-01-01T00:00:00.000Z',
      seq: 99,
    }
    const sent = await dataOf(ours.call('POST', '/widget/messages', { token, json }))
    expect(sent).toMatchObject({ author: 'visitor', seq: 1, createdAt: expect.stringMatching(/^2030/) })
    const own = await dataOf(ours.call('GET', `/widget/session?contactId=${grace.id}`, { token }))
    expect(own).toMatchObject({ contact: { id: ada.id, name: 'Ada Lovelace' } })
  })

  const email = { smtpUrl: 'smtp://127.0.0.1:1', from: 'chat@shop.example' }
  /** Endpoints that store nothing for the contact, so they may finish after the session has ended. */
  const mayStillSucceed = /^(endSession|listMessages|retrieve|streamEvents)/
  it.each(endpointsOf('widget'))(
    '%s says why, if the session ends between its check and its use',
    async (...endpoint) => {
      const { ours, store, platform } = await createTestTenants({ email })
      const offered = { handover: true, ratings: true, attachments: true, eraseByVisitor: true }
      await store.updateBot(ours.bot.id, { ...offered, siteUrl: 'https://shop.example' })
      const { findSession } = store
      for (const [end, code] of [
        ['revoke', 'token_revoked'],
        ['delete contact', 'contact_deleted'],
      ] as const) {
        const { id } = await ours.createContact()
        const token = await ours.contactToken(id)
        store.findSession = async hash => {
          store.findSession = findSession
          const found = await findSession(hash)
          await ours.call('DELETE', end === 'revoke' ? `/auth/contacts/${token}` : `/contacts/${id}`)
          return found
        }
        const response = await requestTo(platform, endpoint, { botId: ours.bot.id }, token)
        if (response.ok) expect(endpoint[0]).toMatch(mayStillSucceed)
        else expect(await outcomeOf(response)).toBe(`401 ${code}`)
        if (endpoint[1].success.stream) await readEvents(response).nextOf('session.ended')
      }
    },
  )
})
