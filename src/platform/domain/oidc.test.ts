import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { DeskSession } from '../../contract/desk.ts'
import { createMember, deskCalls, type TestMember } from '../testing/createMember.ts'
import { startOidcIssuer, type TestAccount, type TestIssuer } from '../testing/oidcIssuer.ts'
import { createTestTenants, dataOf, deskOrigin, outcomeOf, type TestTenants } from '../testing/testTenants.ts'
import { issueInvitation } from './members.ts'

let issuer: TestIssuer
let tenants: TestTenants
async function start(options?: { conformIdTokenClaims: boolean }) {
  issuer = await startOidcIssuer(deskOrigin, options)
  onTestFinished(issuer.close)
  tenants = await createTestTenants({ oidc: issuer.client })
}
beforeEach(() => start())

const accountOf = (fields: Partial<TestAccount> = {}): TestAccount => ({
  ...{ sub: randomUUID(), email: `${randomUUID()}@shop.example`, email_verified: true, name: 'Nora' },
  ...fields,
})
const invite = (email: string, botIds: string[] | null = null) =>
  issueInvitation(
    tenants.store,
    { organizationId: tenants.ours.bot.organizationId, email, role: 'agent', botIds },
    tenants.clock,
  )

/** The calls of a browser, which keeps its cookies. */
function openBrowser(platform = tenants.platform) {
  const cookies = new Map<string, string>()
  const call: TestMember['call'] = async (...args) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await deskCalls(platform, cookie)(...args)
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (set.includes('Max-Age=0')) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const begin = async () => (await dataOf<{ url: string }>(call('POST', '/session/oidc/begin'))).url
  const finish = (response: string, node = platform) =>
    call('POST', '/session/oidc', { json: { response }, platform: node })
  return { cookies, call, begin, finish, signIn: async () => finish(await issuer.visit(await begin())) }
}
/** What the sign-in page says. */
const detailOf = async (answer: Response | Promise<Response>) => {
  const response = await answer
  return `${response.status} ${((await response.json()) as { detail: string }).detail}`
}
const expired = '401 This sign-in took too long, or it began in another window. Please sign in again.'
const host = () => new URL(issuer.client.issuer).host

describe('somebody whose email the provider has verified', () => {
  it('joins by an open invitation, once, without a password, and signs in again', async () => {
    issuer.account = accountOf({ email: 'Nora@shop.example' })
    await invite('nora@shop.example', [tenants.ours.bot.id])
    const browser = openBrowser()
    const session = await dataOf<DeskSession>(browser.signIn())
    expect(session).toMatchObject({
      member: { name: 'Nora', email: 'nora@shop.example', role: 'agent' },
      bots: [{ id: tenants.ours.bot.id }],
    })
    expect(await dataOf(browser.call('GET', '/session'))).toEqual(session)
    expect([...browser.cookies.keys()]).toEqual(['__Host-natter-desk'])
    expect(await dataOf(openBrowser().signIn())).toEqual(session)
    expect(await tenants.store.findMemberByEmail('nora@shop.example')).toMatchObject({ passwordHash: null })
    expect(await tenants.store.findInvitationByEmail('nora@shop.example', '')).toBeNull()
  })

  it('gets a session in place of the one that the browser had', async () => {
    const [nora, planted] = [await createMember(tenants), await createMember(tenants)]
    issuer.account = accountOf({ email: nora.email })
    const browser = openBrowser()
    browser.cookies.set(...(planted.cookie.split('=') as [string, string]))
    expect(await dataOf(browser.signIn())).toMatchObject({ member: { id: nora.id } })
    expect(await outcomeOf(planted.call('GET', '/session'))).toBe('401 unauthorized')
  })

  it('is nobody without an invitation', async () => {
    issuer.account = accountOf({ email: 'eve@shop.example' })
    const message = '401 Nobody has invited eve@shop.example: ask an admin of your team.'
    expect(await detailOf(openBrowser().signIn())).toBe(message)
    await invite('eve@shop.example')
    tenants.clock.advance(24 * 60 * 60_000)
    expect(await detailOf(openBrowser().signIn())).toBe(message)
  })

  it('is not somebody else who had the email before', async () => {
    const { email } = await createMember(tenants)
    issuer.account = accountOf({ email })
    expect(await outcomeOf(openBrowser().signIn())).toBe('200')
    issuer.account = accountOf({ email })
    expect(await detailOf(openBrowser().signIn())).toBe(
      `401 ${email} belonged to another account before: an admin must remove you, and invite you again.`,
    )
  })

  it('needs a name that visitors may see', async () => {
    issuer.account = accountOf({ email: 'nora.a@shop.example', name: '\u202e' })
    await invite('nora.a@shop.example')
    expect(await dataOf(openBrowser().signIn())).toMatchObject({ member: { name: 'nora.a' } })
  })
})

it('an email that the provider has not verified is nobody’s', async () => {
  const { email } = await createMember(tenants)
  issuer.account = accountOf({ email, email_verified: false })
  expect(await detailOf(openBrowser().signIn())).toBe(
    `401 ${host()} has not verified your email, and the desk knows you by it.`,
  )
})

it('the email may also be in what the provider says of the person', async () => {
  await start({ conformIdTokenClaims: true })
  const { id, email } = await createMember(tenants)
  issuer.account = accountOf({ email })
  expect(await dataOf(openBrowser().signIn())).toMatchObject({ member: { id } })
})

it('a person who cancels at the provider is told so', async () => {
  expect(await detailOf(openBrowser().signIn())).toBe(`401 ${host()} has not let you in.`)
})

describe('a sign-in that has begun', () => {
  beforeEach(async () => {
    const { email } = await createMember(tenants)
    issuer.account = accountOf({ email })
  })

  it('asks for a code with PKCE, in a cookie that ends after 10 minutes', async () => {
    const begun = await openBrowser().call('POST', '/session/oidc/begin')
    const [cookie = ''] = begun.headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-natter-desk-login=/)
    expect(cookie.split('; ').slice(1).sort()).toEqual(['HttpOnly', 'Max-Age=600', 'Path=/', 'SameSite=Lax', 'Secure'])
    const { url } = await dataOf<{ url: string }>(begun)
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: 'desk',
      response_type: 'code',
      redirect_uri: `${deskOrigin}/desk/oidc/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  it('ends at another node as well', async () => {
    const browser = openBrowser()
    const response = await issuer.visit(await browser.begin())
    expect(await outcomeOf(browser.finish(response, tenants.addNode({ oidc: issuer.client })))).toBe('200')
  })

  it('ends in the browser that has begun it, within 10 minutes, once', async () => {
    const browser = openBrowser()
    const response = await issuer.visit(await browser.begin())
    const [[name, login] = ['', '']] = browser.cookies
    expect(await detailOf(openBrowser().finish(response))).toBe(expired)
    // Another one that has begun, and one that has changed the time in its cookie.
    const other = openBrowser()
    await other.begin()
    expect(await detailOf(other.finish(response))).toBe(expired)
    other.cookies.set(
      name,
      login.replace(/^\d+/, end => `${Number(end) + 60_000}`),
    )
    expect(await detailOf(other.finish(response))).toBe(expired)
    for (const odd of ['', 'state=x&code=y', '?', '#', response.replace(/state=[^&]*/, 'state=')])
      expect(await detailOf(browser.finish(odd))).toBe(expired)

    tenants.clock.advance(600_000 - 1)
    expect(await outcomeOf(browser.finish(response))).toBe('200')
    browser.cookies.set(name, login)
    expect(await detailOf(browser.finish(response))).toBe(expired)
    const late = await issuer.visit(await browser.begin())
    tenants.clock.advance(600_000)
    expect(await detailOf(browser.finish(late))).toBe(expired)
  })

  it('needs the nonce and the code challenge that it has begun with', async () => {
    const browser = openBrowser()
    for (const [parameter, message] of [
      ['nonce', `503 ${host()} does not answer as it should. Please try again later.`],
      ['code_challenge', expired],
    ] as const) {
      const url = new URL(await browser.begin())
      url.searchParams.set(parameter, 'x'.repeat(43))
      expect(await detailOf(browser.finish(await issuer.visit(url.href)))).toBe(message)
      expect(await outcomeOf(browser.call('GET', '/session'))).toBe('401 unauthorized')
    }
  })

  it('can be ended 30 times a minute from one address', async () => {
    tenants = await createTestTenants({ oidc: issuer.client, rateLimit: 3600 })
    const finish = (address: string) =>
      outcomeOf(deskCalls(tenants.platform)('POST', '/session/oidc', { address, json: { response: 'state=a' } }))
    for (let times = 0; times < 30; times++) expect(await finish('192.0.2.1')).toBe('401 unauthorized')
    expect(await finish('192.0.2.1')).toBe('429 rate_limited')
    expect(await finish('192.0.2.2')).toBe('401 unauthorized')
  })

  it('is not ended by a GET of the page to which the provider sends the browser', async () => {
    const browser = openBrowser()
    const response = await issuer.visit(await browser.begin())
    const page = `${deskOrigin}/desk/oidc/callback?${response}`
    const { headers } = await tenants.platform.fetch(new Request(page))
    expect([headers.getSetCookie(), headers.get('referrer-policy')]).toEqual([[], 'no-referrer'])
    expect(await outcomeOf(browser.finish(response))).toBe('200')
  })

  it('leaves no code, token, cookie or secret in the log', async () => {
    const browser = openBrowser()
    const url = await browser.begin()
    const response = await issuer.visit(url)
    const secrets = [...browser.cookies.values(), ...new URLSearchParams(response).values(), issuer.client.clientSecret]
    await tenants.platform.fetch(new Request(`${deskOrigin}/desk/oidc/callback?${response}`))
    let idToken = ''
    issuer.intercept = (request, answer) => {
      if (request.url !== '/token') return false
      idToken = 'eyJhbGciOiJub25lIn0.e30.'
      answer.setHeader('content-type', 'application/json')
      answer.end(JSON.stringify({ access_token: 'an access token', token_type: 'bearer', id_token: idToken }))
      return true
    }
    expect(await outcomeOf(browser.finish(response))).toBe('503 unavailable')
    issuer.intercept = () => false
    expect(await outcomeOf(browser.signIn())).toBe('200')
    const log = tenants.lines.join('\n')
    expect(log).toContain('a sign-in at the desk has failed')
    for (const secret of [...secrets, ...browser.cookies.values(), 'an access token', idToken])
      expect(log).not.toContain(secret)
  })
})

describe('passwords', () => {
  const password = 'correct horse battery'
  const outcomes = async (platform: TestTenants['platform']) => {
    const call = deskCalls(platform)
    const token = await invite(`${randomUUID()}@shop.example`)
    const { email, methods } = await dataOf<{ email: string; methods: object }>(
      call('POST', '/invitations/look', { json: { token } }),
    )
    expect(await dataOf(call('GET', '/session/methods'))).toEqual(methods)
    return {
      methods,
      accept: await outcomeOf(call('POST', '/invitations/accept', { json: { token, name: 'Nora', password } })),
      signIn: await outcomeOf(call('POST', '/session', { json: { email, password } })),
      begin: await outcomeOf(call('POST', '/session/oidc/begin')),
    }
  }

  it('are refused beside OpenID Connect', async () => {
    const refused = '404 not_found'
    const methods = { passwords: false, provider: host() }
    expect(await outcomes(tenants.platform)).toEqual({ methods, accept: refused, signIn: refused, begin: '200' })
  })

  it('are kept beside it if the operator says so, and are none for who has joined without one', async () => {
    const node = tenants.addNode({ oidc: { ...issuer.client, passwords: true } })
    const methods = { passwords: true, provider: host() }
    expect(await outcomes(node)).toEqual({ methods, accept: '200', signIn: '200', begin: '200' })
    issuer.account = accountOf()
    await invite(issuer.account.email)
    expect(await outcomeOf(openBrowser().signIn())).toBe('200')
    for (const guess of ['', 'null'])
      expect(
        await outcomeOf(
          deskCalls(node)('POST', '/session', { json: { email: issuer.account.email, password: guess } }),
        ),
      ).toBe('401 unauthorized')
  })

  it('are the only way without OpenID Connect', async () => {
    const node = tenants.addNode({ oidc: undefined })
    const methods = { passwords: true, provider: null }
    expect(await outcomes(node)).toEqual({ methods, accept: '200', signIn: '200', begin: '404 not_found' })
    expect(await outcomeOf(openBrowser(node).finish('state=x&code=y'))).toBe('404 not_found')
  })
})
