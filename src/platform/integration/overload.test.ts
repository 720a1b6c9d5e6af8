import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

describe('a platform with more to do than it can', () => {
  let tenants: TestTenants
  beforeEach(async () => {
    tenants = await createTestTenants()
  })
  afterEach(() => tenants.close())

  it('answers the upsert of one organization though another keeps 300 connections sending them', async () => {
    const { store, ours, otherOrganization } = tenants
    const slow = Promise.withResolvers<void>()
    const begun: string[] = []
    const upsertContacts = store.upsertContacts
    store.upsertContacts = async (...args) => {
      const [{ organizationId }] = args
      begun.push(organizationId)
      if (organizationId === ours.bot.organizationId) await slow.promise
      return upsertContacts(...args)
    }
    const upsert = (bot: typeof ours) =>
      bot.call('PATCH', '/contacts', { json: { data: [{ name: 'Ada', email: 'ada@example.com' }] } })
    const flood = Array.from({ length: 300 }, () => upsert(ours))
    expect(await outcomeOf(await upsert(otherOrganization))).toBe('200')
    expect(begun.filter(id => id === ours.bot.organizationId)).toHaveLength(4)
    const refused = await Promise.race(flood)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
    slow.resolve()
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    expect(statuses.filter(status => status === 200)).toHaveLength(68)
    expect(statuses.filter(status => status === 503)).toHaveLength(232)
  })

  it('carries no request out that had waited too long before its handler began, as in a process that was stopped', async () => {
    const { store, clock, ours } = tenants
    const { id } = await ours.createContact()
    const findOrganizationToken = store.findOrganizationToken
    store.findOrganizationToken = async hash => {
      clock.advance(5_001)
      return findOrganizationToken(hash)
    }
    const update = await ours.call('PATCH', `/contacts/${id}`, { json: { phone: '111' } })
    expect(await outcomeOf(update)).toBe('503 unavailable')
    store.findOrganizationToken = findOrganizationToken
    expect(await dataOf(await ours.call('GET', `/contacts/${id}`))).toMatchObject({ phone: '' })
  })
})
