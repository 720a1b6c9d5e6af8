import { expect, it } from 'vitest'
import { createTestTenants } from '../testing/testTenants.ts'
import { aYearAfter } from './contactTokens.ts'

// What `natter conformance` and the reference model check is not repeated here.

it('a token is valid for a calendar year to the millisecond, and 29 February becomes 1 March', () => {
  const yearFrom = (text: string) => new Date(aYearAfter(Date.parse(text))).toISOString()
  expect(yearFrom('2028-02-29T23:59:59.999Z')).toBe('2029-03-01T23:59:59.999Z')
  expect(yearFrom('2027-03-01T00:00:00.000Z')).toBe('2028-03-01T00:00:00.000Z')
  expect(yearFrom('2030-12-31T12:34:56.789Z')).toBe('2031-12-31T12:34:56.789Z')
})

it('revoking returns 204 for a token of another bot or of a visitor, which stays valid', async () => {
  const { ours, otherOrganization } = await createTestTenants()
  const foreign = await otherOrganization.contactToken((await otherOrganization.createContact()).id)
  const visitor = await ours.visitorToken()
  for (const token of [foreign, visitor, 'nonsense', '%'])
    expect((await ours.call('DELETE', `/auth/contacts/${token}`)).status).toBe(204)
  for (const [bot, token] of [
    [otherOrganization, foreign],
    [ours, visitor],
  ] as const)
    expect((await bot.call('GET', '/widget/session', { token })).status).toBe(200)
})

it('signing a contact out everywhere also ends its streams', async () => {
  const { ours } = await createTestTenants()
  const { id } = await ours.createContact()
  const streams = [await ours.events(await ours.contactToken(id)), await ours.events(await ours.contactToken(id))]
  expect((await ours.call('DELETE', `/contacts/${id}/tokens`)).status).toBe(204)
  for (const events of streams)
    expect(await events.nextOf('session.ended')).toMatchObject({ data: { reason: 'revoked' } })
})
