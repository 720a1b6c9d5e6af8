import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpointsOf, type NamedEndpoint, type PathIds, requestTo } from '../testing/endpointRequests.ts'
import { createTestTenants, dataOf, outcomeOf, type TestBot, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
let ours: { contactId: string; conversationId: string; contactToken: string; visitorToken: string }
beforeAll(async () => {
  tenants = await createTestTenants()
  const { id } = await tenants.ours.createContact()
  const contactToken = await tenants.ours.contactToken(id)
  await tenants.ours.send(contactToken, 'Is it me you can see?')
  const conversations = (await dataOf(await tenants.ours.call('GET', '/conversations'))) as { id: string }[]
  ours = {
    contactId: id,
    conversationId: conversations[0]?.id ?? '',
    contactToken,
    visitorToken: await tenants.ours.visitorToken(),
  }
})
afterAll(() => tenants.close())

const request = (endpoint: NamedEndpoint, ids: PathIds, token: string) =>
  requestTo(tenants.platform, endpoint, ids, token && `Bearer ${token}`)
const withoutRequestId = async (response: Response) => {
  const id = response.headers.get('x-request-id') ?? 'none'
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  return [response.status, ...headers, await response.text()].join('\n').replaceAll(id, 'ID')
}

const impossible = [
  'x',
  '0',
  '..%2f',
  "' OR 1=1 --",
  '\0',
  '😀',
  'a'.repeat(2000),
  '__proto__',
  '01A1FCD5-0A7C-7421-8F8C-4B7CC3DF7CB5',
]
const nobody = '00000000-0000-7000-8000-000000000000'

describe.each(endpointsOf('organization'))('%s', (...endpoint) => {
  const intruders = (): [string, TestBot][] => [
    ['the other organization', tenants.otherOrganization],
    ['its other bot', tenants.otherOrganizationSibling],
  ]

  it('returns the same 404 for every bot of another organization and for unknown bots', async () => {
    const answers = new Set<string>()
    for (const [, testBot] of intruders())
      answers.add(
        await withoutRequestId(
          await request(endpoint, { ...ours, botId: tenants.ours.bot.id }, testBot.organizationToken),
        ),
      )
    for (const botId of [nobody, ...impossible])
      answers.add(await withoutRequestId(await request(endpoint, { ...ours, botId }, tenants.ours.organizationToken)))
    expect([...answers]).toHaveLength(1)
    expect([...answers][0]).toMatch(/^404\n[\s\S]*"not_found"/)
  })

  it('refuses browsers, with every method of its path', async () => {
    for (const method of [endpoint[1].method, endpoint[1].alias].filter(method => method !== undefined)) {
      const path = endpoint[1].path.replace(/\{(\w+)\}/g, nobody)
      const response = await tenants.platform.fetch(
        new Request(`http://natter.test${path}`, { method, headers: { origin: 'https://shop.example' } }),
      )
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
    const answers = new Set<string>()
    const attempt = async (ids: PathIds, token: string) =>
      answers.add(await withoutRequestId(await request([name, row], ids, token)))
    await attempt({ ...ours, botId: tenants.sibling.bot.id }, tenants.sibling.organizationToken)
    await attempt({ ...ours, botId: tenants.otherOrganization.bot.id }, tenants.otherOrganization.organizationToken)
    const other = id === 'contactId' ? ours.conversationId : ours.contactId
    for (const impossibleId of [nobody, ...impossible, tenants.ours.bot.id, other])
      await attempt({ botId: tenants.ours.bot.id, [id]: impossibleId }, tenants.ours.organizationToken)
    // Also the response for an unknown bot.
    await attempt({ ...ours, botId: nobody }, tenants.ours.organizationToken)
    expect([...answers]).toHaveLength(1)
    expect([...answers][0]).toMatch(/^404\n[\s\S]*"not_found"/)
  })
})

describe.each(endpointsOf('widget'))('%s', (...endpoint) => {
  it('accepts no token of another bot, whichever bot is in the path', async () => {
    for (const botId of [tenants.sibling.bot.id, tenants.otherOrganization.bot.id, nobody, ...impossible])
      for (const token of [ours.contactToken, ours.visitorToken])
        expect(await outcomeOf(await request(endpoint, { botId }, token))).toBe('401 unauthorized')
  })
})

describe.each(endpointsOf('none'))('%s', (...endpoint) => {
  it('returns the same 404 for every unknown bot', async () => {
    const answers = new Set<string>()
    for (const botId of [nobody, ...impossible])
      answers.add(await withoutRequestId(await request(endpoint, { botId }, '')))
    expect([...answers]).toHaveLength(1)
    expect([...answers][0]).toMatch(/^404\n/)
  })
})

describe('the attempts of the other tenants', () => {
  it('have changed nothing: contact and tokens still work', async () => {
    expect((await tenants.ours.call('GET', `/contacts/${ours.contactId}`)).status).toBe(200)
    for (const token of [ours.contactToken, ours.visitorToken])
      expect((await tenants.ours.call('GET', '/widget/session', { token })).status).toBe(200)
    const messages = await dataOf(await tenants.ours.call('GET', `/conversations/${ours.conversationId}/messages`))
    expect(messages).toMatchObject([{ author: 'visitor', text: 'Is it me you can see?' }])
  })
})
