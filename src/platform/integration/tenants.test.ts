import { afterAll, describe, expect, it } from 'vitest'
import { issueOrganizationToken } from '../domain/organizations.ts'
import { timestamp } from '../domain/time.ts'
import { endpointsOf, type NamedEndpoint, type PathIds, requestTo } from '../testing/endpointRequests.ts'
import { createTestTenants, dataOf, outcomeOf } from '../testing/testTenants.ts'

const tenants = await createTestTenants()
afterAll(() => tenants.close())
const { ours, sibling, otherOrganization, otherOrganizationSibling, store, platform, clock } = tenants

const expired = await ours.visitorToken()
clock.advance(24 * 60 * 60 * 1000)
const tokenOf = async (testBot = ours) => testBot.contactToken((await testBot.createContact()).id)
const [contact, revoked, visitor] = [await tokenOf(), await tokenOf(), await ours.visitorToken()]
const ofOthers = [await tokenOf(otherOrganization), await tokenOf(sibling)]
await ours.send(contact, 'Is it me you can see?')
const [conversation] = (await dataOf(ours.call('GET', '/conversations'))) as [
  { id: string; contact: { id: string }; lastMessage: { id: string } },
]
await ours.call('DELETE', `/auth/contacts/${revoked}`)
const deletedContact = await ours.createContact()
const deleted = await ours.contactToken(deletedContact.id)
await ours.call('DELETE', `/contacts/${deletedContact.id}`)
const revokedOrganization = await issueOrganizationToken(store, ours.bot.organizationId, { clock })
await store.revokeOrganizationTokens({ prefix: revokedOrganization.slice(0, 10) }, timestamp(clock.now()))

const ids = {
  botId: ours.bot.id,
  contactId: conversation.contact.id,
  conversationId: conversation.id,
  contactToken: contact,
  messageId: conversation.lastMessage.id,
}
const bearer = (token: string) => `Bearer ${token}`
const request = (endpoint: NamedEndpoint, path: PathIds, token: string) =>
  requestTo(platform, endpoint, path, token && bearer(token))
const outcome = async (endpoint: NamedEndpoint, authorization?: string) =>
  outcomeOf(requestTo(platform, endpoint, ids, authorization))
const withoutRequestId = async (response: Response) => {
  const id = response.headers.get('x-request-id') ?? 'none'
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  return [response.status, ...headers, await response.text()].join('\n').replaceAll(id, 'ID')
}
/** Expects the same 404 for each of these ids in the path and tokens. */
async function expectOneNotFound(endpoint: NamedEndpoint, attempts: [path: PathIds, token: string][]): Promise<void> {
  const answers = new Set<string>()
  for (const attempt of attempts) answers.add(await withoutRequestId(await request(endpoint, ...attempt)))
  expect([...answers]).toEqual([expect.stringMatching(/^404\n[\s\S]*"not_found"/)])
}

/** Invalid credentials, including unknown tokens of every form. */
const nothing = [
  ...[undefined, '', ' ', 'Bearer', 'Bearer ', 'Bearer null', 'Bearer undefined', 'Bearer a b', 'é'],
  ...['Basic YWRhOnNlY3JldA==', 'Digest username="a", realm="natter", nonce="c", response="d"'],
  ...['x'.repeat(5000), `o_${'A'.repeat(43)}`, `c:${'0'.repeat(64)}`, `v:${'0'.repeat(64)}`].map(bearer),
]
const nobody = '00000000-0000-7000-8000-000000000000'
/** Ids that nothing has. */
const impossible = [
  ...[nobody, 'x', '0', '..%2f', "' OR 1=1 --", '\0', '😀', 'a'.repeat(2000), '__proto__'],
  '01A1FCD5-0A7C-7421-8F8C-4B7CC3DF7CB5',
]

describe.each(endpointsOf('organization'))('%s', (...endpoint) => {
  it('refuses requests without an organization token (threats: identity)', async () => {
    for (const authorization of nothing) expect(await outcome(endpoint, authorization)).toBe('401 unauthorized')
    for (const token of [expired, revoked, deleted, revokedOrganization])
      expect(await outcome(endpoint, bearer(token))).toBe('401 unauthorized')
    for (const token of [contact, visitor, ...ofOthers])
      expect(await outcome(endpoint, bearer(token))).toBe('403 insufficient_scope')
  })

  it('returns the same 404 for every bot of another organization and for unknown bots', async () => {
    const intruders = [otherOrganization, otherOrganizationSibling]
    await expectOneNotFound(endpoint, [
      ...intruders.map(({ organizationToken }): [PathIds, string] => [ids, organizationToken]),
      ...impossible.map((botId): [PathIds, string] => [{ ...ids, botId }, ours.organizationToken]),
    ])
  })

  it('refuses browsers, with every method of its path', async () => {
    const { method, alias, path } = endpoint[1]
    const url = `http://natter.test${path.replace(/\{(\w+)\}/g, nobody)}`
    for (const each of alias ? [method, alias] : [method])
      for (const header of [{ origin: 'https://shop.example' }, { 'sec-fetch-site': 'same-origin' }]) {
        const headers = new Headers(Object.entries(header))
        const response = await platform.fetch(new Request(url, { method: each, headers }))
        expect([...response.headers.keys()].some(name => name.startsWith('access-control'))).toBe(false)
        expect(await outcomeOf(response)).toBe('403 organization_token_in_browser')
      }
  })
})

// Endpoints whose path contains the id of a contact or a conversation.
const names = ['contactId', 'conversationId'] as const
describe.each(
  endpointsOf('organization').flatMap(([name, row]) =>
    names.filter(id => row.path.includes(`{${id}}`)).map(id => ({ name, row, id })),
  ),
)('$name', ({ name, row, id }) => {
  it(`returns the same 404 for a ${id} of another bot and for an unknown one`, async () => {
    const other = id === 'contactId' ? ids.conversationId : ids.contactId
    await expectOneNotFound(
      [name, row],
      [
        [{ ...ids, botId: sibling.bot.id }, sibling.organizationToken],
        [{ ...ids, botId: otherOrganization.bot.id }, otherOrganization.organizationToken],
        ...[...impossible, ids.botId, other].map((unknown): [PathIds, string] => [
          { ...ids, [id]: unknown },
          ours.organizationToken,
        ]),
        // Also the response for an unknown bot.
        [{ ...ids, botId: nobody }, ours.organizationToken],
      ],
    )
  })
})

describe.each(endpointsOf('widget'))('%s', (...endpoint) => {
  it('refuses requests without an open session of the same bot (threats: identity)', async () => {
    for (const authorization of nothing) expect(await outcome(endpoint, authorization)).toBe('401 unauthorized')
    for (const token of [...ofOthers, revokedOrganization, contact.toUpperCase(), contact.replace('c', 'C')])
      expect(await outcome(endpoint, bearer(token))).toBe('401 unauthorized')
    for (const { organizationToken } of [ours, otherOrganization])
      expect(await outcome(endpoint, bearer(organizationToken))).toBe('403 insufficient_scope')
    expect(await outcome(endpoint, bearer(expired))).toBe('401 token_expired')
    expect(await outcome(endpoint, bearer(revoked))).toBe('401 token_revoked')
    expect(await outcome(endpoint, bearer(deleted))).toBe('401 contact_deleted')
  })

  it('accepts no token of another bot, whichever bot is in the path', async () => {
    for (const botId of [sibling.bot.id, otherOrganization.bot.id, ...impossible])
      for (const token of [contact, visitor])
        expect(await outcomeOf(request(endpoint, { botId }, token))).toBe('401 unauthorized')
  })
})

describe.each([...endpointsOf('organization'), ...endpointsOf('widget')])('%s', (...endpoint) => {
  it('refuses requests if anything inside the check is undefined or throws (threats: identity)', async () => {
    const isOrganizations = endpoint[1].auth === 'organization'
    const good = bearer(isOrganizations ? ours.organizationToken : contact)
    for (const name of [isOrganizations ? 'findOrganizationToken' : 'findSession', 'findBot'] as const) {
      const method = store[name]
      Object.assign(store, { [name]: async () => undefined })
      const isUnknownBot = name === 'findBot' && isOrganizations
      expect(await outcome(endpoint, good)).toBe(isUnknownBot ? '404 not_found' : '401 unauthorized')
      Object.assign(store, { [name]: () => Promise.reject(new Error('unforeseen')) })
      expect(await outcome(endpoint, good)).toBe('500 internal')
      Object.assign(store, { [name]: method })
    }
  })
})

describe.each(endpointsOf('none'))('%s', (...endpoint) => {
  it('returns the same 404 for every unknown bot', async () => {
    await expectOneNotFound(
      endpoint,
      impossible.map(botId => [{ botId }, '']),
    )
  })
})

describe('the attempts of the other tenants', () => {
  it('have changed nothing: contact and tokens still work', async () => {
    expect((await ours.call('GET', `/contacts/${ids.contactId}`)).status).toBe(200)
    for (const token of [contact, visitor])
      expect((await ours.call('GET', '/widget/session', { token })).status).toBe(200)
    const messages = await dataOf(ours.call('GET', `/conversations/${ids.conversationId}/messages`))
    expect(messages).toMatchObject([{ author: 'visitor', text: 'Is it me you can see?' }])
  })
})
