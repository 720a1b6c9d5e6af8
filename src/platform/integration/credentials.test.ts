import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueOrganizationToken } from '../domain/organizations.ts'
import { timestamp } from '../domain/time.ts'
import type { Store } from '../store/store.ts'
import { endpointsOf, type NamedEndpoint, type PathIds, requestTo } from '../testing/endpointRequests.ts'
import { createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
let ids: PathIds
let tokens: Record<
  'contact' | 'visitor' | 'otherOrganization' | 'sibling' | 'expired' | 'revoked' | 'deleted' | 'revokedOrganization',
  string
>
beforeAll(async () => {
  tenants = await createTestTenants()
  const { ours, store, clock } = tenants
  const expired = await ours.visitorToken()
  clock.advance(24 * 60 * 60 * 1000)
  const tokenOf = async (testBot = ours) => testBot.contactToken((await testBot.createContact()).id)
  const contact = await tokenOf()
  await ours.send(contact, 'Hello')
  const [conversation] = (await dataOf(await ours.call('GET', '/conversations'))) as {
    id: string
    contact: { id: string }
    lastMessage: { id: string }
  }[]
  const revoked = await tokenOf()
  await ours.call('DELETE', `/auth/contacts/${revoked}`)
  const deletedContact = await ours.createContact()
  const deleted = await ours.contactToken(deletedContact.id)
  await ours.call('DELETE', `/contacts/${deletedContact.id}`)
  const revokedOrganization = await issueOrganizationToken(store, ours.bot.organizationId, { clock })
  await store.revokeOrganizationTokens({ prefix: revokedOrganization.slice(0, 10) }, timestamp(clock.now()))
  const visitor = await ours.visitorToken()
  const [otherOrganization, sibling] = [await tokenOf(tenants.otherOrganization), await tokenOf(tenants.sibling)]
  tokens = { contact, visitor, otherOrganization, sibling, expired, revoked, deleted, revokedOrganization }
  ids = {
    botId: ours.bot.id,
    contactId: conversation?.contact.id ?? '',
    conversationId: conversation?.id ?? '',
    contactToken: contact,
    messageId: conversation?.lastMessage.id ?? '',
  }
})
afterAll(() => tenants.close())

const outcome = async (endpoint: NamedEndpoint, authorization?: string) =>
  outcomeOf(await requestTo(tenants.platform, endpoint, ids, authorization))
const bearer = (token: string) => `Bearer ${token}`

/** Invalid credentials, including unknown tokens of every form. */
const nothing = [
  undefined,
  '',
  ' ',
  'Bearer',
  'Bearer ',
  'Basic YWRhOnNlY3JldA==',
  'Digest username="ada", realm="natter"',
  'Bearer null',
  'Bearer undefined',
  bearer('x'.repeat(5000)),
  bearer(`o_${'A'.repeat(43)}`),
  bearer(`c:${'0'.repeat(64)}`),
  bearer(`v:${'0'.repeat(64)}`),
]

describe.each(endpointsOf('organization'))('%s', (...endpoint) => {
  it('refuses requests without an organization token (threats: identity)', async () => {
    for (const authorization of nothing) expect(await outcome(endpoint, authorization)).toBe('401 unauthorized')
    const { expired, revoked, deleted, revokedOrganization, contact, visitor, otherOrganization } = tokens
    for (const token of [expired, revoked, deleted, revokedOrganization])
      expect(await outcome(endpoint, bearer(token))).toBe('401 unauthorized')
    for (const token of [contact, visitor, otherOrganization])
      expect(await outcome(endpoint, bearer(token))).toBe('403 insufficient_scope')
    expect(await outcome(endpoint, bearer(tenants.otherOrganization.organizationToken))).toBe('404 not_found')
  })
})

describe.each(endpointsOf('widget'))('%s', (...endpoint) => {
  it('refuses requests without an open session of the same bot (threats: identity)', async () => {
    for (const authorization of nothing) expect(await outcome(endpoint, authorization)).toBe('401 unauthorized')
    const { otherOrganization, sibling, revokedOrganization } = tokens
    for (const token of [otherOrganization, sibling, revokedOrganization])
      expect(await outcome(endpoint, bearer(token))).toBe('401 unauthorized')
    for (const { organizationToken } of [tenants.ours, tenants.otherOrganization])
      expect(await outcome(endpoint, bearer(organizationToken))).toBe('403 insufficient_scope')
    expect(await outcome(endpoint, bearer(tokens.expired))).toBe('401 token_expired')
    expect(await outcome(endpoint, bearer(tokens.revoked))).toBe('401 token_revoked')
    expect(await outcome(endpoint, bearer(tokens.deleted))).toBe('401 contact_deleted')
  })
})

describe.each([...endpointsOf('organization'), ...endpointsOf('widget')])('%s', (...endpoint) => {
  it('refuses requests if anything inside the check is undefined or throws (threats: identity)', async () => {
    const [, { auth }] = endpoint
    const good = bearer(auth === 'organization' ? tenants.ours.organizationToken : tokens.contact)
    const checks = [auth === 'organization' ? 'findOrganizationToken' : 'findSession', 'findBot'] as const
    for (const name of checks) {
      const method = tenants.store[name]
      const replace = (check: () => Promise<unknown>) =>
        Object.assign(tenants.store, { [name]: check } as Partial<Store>)
      replace(async () => undefined)
      expect(await outcome(endpoint, good)).toBe(
        name === 'findBot' && auth === 'organization' ? '404 not_found' : '401 unauthorized',
      )
      replace(() => Promise.reject(new Error('unforeseen')))
      expect(await outcome(endpoint, good)).toBe('500 internal')
      Object.assign(tenants.store, { [name]: method })
    }
  })
})
