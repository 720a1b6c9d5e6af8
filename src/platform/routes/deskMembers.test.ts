import { randomUUID, scryptSync } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AuditEntry, DeskSession, Invitation } from '../../contract/desk.ts'
import { deskEndpoints } from '../../contract/endpoints/desk.ts'
import type { Route } from '../../contract/index.ts'
import { issueInvitation } from '../domain/members.ts'
import { createMember, deskCalls, type TestMember } from '../testing/createMember.ts'
import { createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

const password = 'correct horse battery'
const hour = 60 * 60_000

let tenants: TestTenants
let admin: TestMember
beforeEach(async () => {
  tenants = await createTestTenants()
  admin = await createMember(tenants, { role: 'admin', name: 'Ada' })
})

/** Invites, and resolves to the token of the link. */
function invite(fields: { email?: string; botIds?: string[] } = {}): Promise<string> {
  const { organizationId } = tenants.ours.bot
  const invitation = { organizationId, email: `${randomUUID()}@shop.example`, role: 'agent', botIds: null } as const
  return issueInvitation(tenants.store, { ...invitation, ...fields }, tenants.clock)
}

const anybody: TestMember['call'] = (...args) => deskCalls(tenants.platform)(...args)
const accept = (token: string, fields: object = {}) =>
  anybody('POST', '/invitations/accept', { json: { token, name: 'Nora', password, ...fields } })
const signIn = (email: string, more: { password?: string; headers?: Record<string, string>; address?: string } = {}) =>
  anybody('POST', '/session', { ...more, json: { email, password: more.password ?? password } })

/** The cookie that a response sets. */
const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
const as = (cookie: string): TestMember['call'] => deskCalls(tenants.platform, cookie)

describe('an invitation', () => {
  it('makes a member, who is signed in and can sign in again', async () => {
    const { bot } = tenants.ours
    const token = await invite({ email: 'Nora@shop.example', botIds: [bot.id] })
    const look = await dataOf<Invitation>(anybody('POST', '/invitations/look', { json: { token } }))
    expect(look).toMatchObject({ email: 'Nora@shop.example', organization: 'Acme' })
    const accepted = await accept(token)
    const session = await dataOf<DeskSession>(as(cookieOf(accepted))('GET', '/session'))
    expect(session).toMatchObject({
      member: { name: 'Nora', email: 'Nora@shop.example', role: 'agent' },
      organization: { id: bot.organizationId, name: 'Acme' },
      bots: [{ id: bot.id, name: 'Acme', attachments: true, hasResponder: true }],
    })
    expect(await dataOf(accepted)).toEqual(session)
    const signedIn = await signIn('nora@SHOP.example')
    expect(await dataOf(signedIn)).toEqual(session)
    expect(cookieOf(signedIn)).not.toBe(cookieOf(accepted))
    const signedInTwice = Array(2).fill({ event: 'signed_in', member: { name: 'Nora' } })
    const entries = await dataOf<AuditEntry[]>(admin.call('GET', '/audit'))
    expect(entries.filter(({ event }) => event !== 'invited')).toMatchObject(signedInTwice)
  })

  it('works once, also for two at the same time', async () => {
    const token = await invite()
    const outcomes = await Promise.all([outcomeOf(accept(token)), outcomeOf(accept(token, { name: 'Eve' }))])
    expect(outcomes.sort()).toEqual(['200', '404 not_found'])
    expect(await outcomeOf(accept(token))).toBe('404 not_found')
    expect(await outcomeOf(anybody('POST', '/invitations/look', { json: { token } }))).toBe('404 not_found')
    expect(await tenants.store.listMembers(tenants.ours.bot.organizationId)).toHaveLength(2)
  })

  it('ends after 24 hours, and was never there with another token', async () => {
    const token = await invite()
    tenants.clock.advance(24 * hour - 1)
    const look = (token: string) => outcomeOf(anybody('POST', '/invitations/look', { json: { token } }))
    expect(await look(token)).toBe('200')
    tenants.clock.advance(1)
    expect(await look(token)).toBe('404 not_found')
    expect(await outcomeOf(accept(token))).toBe('404 not_found')
    for (const other of ['', 'x', '0'.repeat(64)]) expect(await look(other)).toBe('404 not_found')
  })

  it('needs a password of 10 characters', async () => {
    const token = await invite()
    expect(await outcomeOf(accept(token, { password: 'too short' }))).toBe('400 invalid_request')
    expect(await outcomeOf(accept(token))).toBe('200')
  })

  it('names bots of the organization only', async () => {
    const foreign = tenants.otherOrganization.bot.id
    for (const botIds of [[foreign], [tenants.ours.bot.id, foreign], [randomUUID()], []])
      await expect(invite({ botIds })).rejects.toMatchObject({ code: 'invalid_request' })
    // Admins see all bots.
    await expect(createMember(tenants, { role: 'admin', botIds: [tenants.ours.bot.id] })).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })

  it('tells of a member of the own organization, and of no other', async () => {
    const other = await createMember(tenants, { organizationId: tenants.otherOrganization.bot.organizationId })
    await expect(invite({ email: admin.email })).rejects.toMatchObject({ code: 'invalid_request' })
    // The invited person learns it, who knows the email.
    expect(await outcomeOf(accept(await invite({ email: other.email })))).toBe('400 email_taken')
  })
})

describe('signing in', () => {
  const join = async (email = `${randomUUID()}@shop.example`) => {
    const cookie = cookieOf(await accept(await invite({ email })))
    return { email, cookie }
  }
  const idOf = async (email: string) => (await tenants.store.findMemberByEmail(email))?.id

  it('says the same of a wrong password and of an unknown email, after about the same time', async () => {
    const { email } = await join()
    const timed = async (address: string) => {
      const start = performance.now()
      const response = await signIn(address, { password: 'a wrong password' })
      return {
        ms: performance.now() - start,
        status: response.status,
        ...((await response.json()) as { detail: string }),
      }
    }
    const [known, unknown] = [await timed(email), await timed('nobody@shop.example')]
    expect(known).toMatchObject({ status: 401, code: 'unauthorized', detail: 'The email or the password is wrong.' })
    expect({ ...unknown, ms: 0, instance: '' }).toEqual({ ...known, ms: 0, instance: '' })
    // Without the hash it would take a hundredth.
    expect(unknown.ms).toBeGreaterThan(known.ms / 5)
  })

  it('renews the session, and ends the one that the browser had', async () => {
    const [{ email, cookie }, planted] = [await join(), await createMember(tenants, { name: 'Eve' })]
    const signedIn = await signIn(email, { headers: { cookie: planted.cookie } })
    expect(signedIn.status).toBe(200)
    expect(cookieOf(signedIn)).not.toBe(planted.cookie)
    expect(await outcomeOf(planted.call('GET', '/session'))).toBe('401 unauthorized')
    // Sessions of other browsers stay.
    expect(await outcomeOf(as(cookie)('GET', '/session'))).toBe('200')
  })

  it('fails if the password is replaced while it is checked', async () => {
    const { email } = await join()
    const link = await dataOf<{ token: string }>(admin.call('POST', `/team/members/${await idOf(email)}/password-link`))
    const { createMemberSession } = tenants.store
    tenants.store.createMemberSession = async (...args) => {
      await accept(link.token, { password: 'a horse with a new battery' })
      return createMemberSession(...args)
    }
    expect(await outcomeOf(signIn(email))).toBe('401 unauthorized')
  })

  it('sets a cookie that scripts and other hosts cannot read or set', async () => {
    const { email } = await join()
    const [cookie = ''] = (await signIn(email)).headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-natter-desk=[0-9a-f]{64}; /)
    expect(cookie.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      'Max-Age=2592000',
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ])
  })
})

describe('guessing passwords', () => {
  const limited = () => createTestTenants({ rateLimit: 3600 })
  const guess = (platform: TestTenants['platform'], address: string, email: string, secret = 'wrong') =>
    outcomeOf(deskCalls(platform)('POST', '/session', { address, json: { email, password: secret } }))

  /** Nora's password is checked quickly, and so is any for another email. She has signed in from her address. */
  async function startWithQuickHash() {
    tenants = await limited()
    const salt = Buffer.alloc(16)
    const hash = scryptSync(password, salt, 32, { N: 64, r: 1, p: 1 })
    const passwordHash = `$scrypt$ln=6,r=1,p=1$${[salt, hash].map(part => part.toString('base64').replace(/=+$/, '')).join('$')}`
    const nora = await createMember(tenants, { passwordHash })
    const { email } = nora
    const row = await tenants.store.findMemberByEmail(email)
    tenants.store.findMemberByEmail = async () => row
    const known = '192.0.2.100'
    const signInFrom = (address: string) => guess(tenants.platform, address, email, password)
    expect(await signInFrom(known)).toBe('200')
    return { nora, email, known, signInFrom }
  }

  it('is limited from one address, and lets its owner in from another, or with a session', async () => {
    const { nora, email, signInFrom } = await startWithQuickHash()
    const outcomes: string[] = []
    for (let n = 0; n < 11; n++) outcomes.push(await guess(tenants.platform, '192.0.2.1', email))
    expect(outcomes).toEqual([...Array(10).fill('401 unauthorized'), '429 rate_limited'])
    // Not even the right one.
    expect(await signInFrom('192.0.2.1')).toBe('429 rate_limited')
    expect(await signInFrom('192.0.2.2')).toBe('200')
    expect(await outcomeOf(nora.call('GET', '/session'))).toBe('200')
    tenants.clock.advance(60_000)
    expect(await signInFrom('192.0.2.1')).toBe('200')
  })

  it('is limited for one email from all addresses, but for one that it has signed in from', async () => {
    const { email, known, signInFrom } = await startWithQuickHash()
    for (let n = 1; n < 60; n++)
      expect(await guess(tenants.platform, `192.0.2.${n % 6}`, email)).toBe('401 unauthorized')
    expect(await signInFrom('192.0.2.7')).toBe('429 rate_limited')
    expect(await signInFrom(known)).toBe('200')
  })

  it('is limited from one address with any email, but for one that has signed in from there', async () => {
    const { known, signInFrom } = await startWithQuickHash()
    for (let n = 1; n < 30; n++)
      expect(await guess(tenants.platform, known, `${n}@shop.example`)).toBe('401 unauthorized')
    expect(await guess(tenants.platform, known, 'omar@shop.example')).toBe('429 rate_limited')
    expect(await signInFrom(known)).toBe('200')
  })
})

describe('a session', () => {
  const active = (member: TestMember) => outcomeOf(member.call('PUT', '/presence', { json: { presence: 'online' } }))

  it('ends 12 hours after its member was last active, whatever its page sends', async () => {
    const ada = await createMember(tenants)
    for (let n = 0; n < 3; n++) {
      tenants.clock.advance(12 * hour - 1)
      expect(await active(ada)).toBe('204')
    }
    tenants.clock.advance(12 * hour - 1)
    expect(await outcomeOf(ada.call('PUT', '/presence', { json: { presence: 'away' } }))).toBe('204')
    for (const path of ['/session', '/counts']) expect(await outcomeOf(ada.call('GET', path))).toBe('200')
    tenants.clock.advance(1)
    const ended = await ada.call('GET', '/session')
    expect(ended.headers.get('www-authenticate')).toBeNull()
    expect(await ended.json()).toMatchObject({ code: 'unauthorized', detail: 'The session has ended: sign in again.' })
  })

  it('ends 30 days after its begin, however active its member is', async () => {
    const ada = await createMember(tenants)
    for (let n = 0; n < 60; n++) {
      expect(await active(ada)).toBe('204')
      tenants.clock.advance(12 * hour - 1)
    }
    tenants.clock.advance(60)
    expect(await active(ada)).toBe('401 unauthorized')
  })

  it('that has ended so is not opened again when the clock is set back', async () => {
    const ada = await createMember(tenants)
    tenants.clock.advance(12 * hour)
    expect(await active(ada)).toBe('401 unauthorized')
    tenants.clock.advance(-hour)
    expect(await active(ada)).toBe('401 unauthorized')
  })

  it('ends when the member signs out, and tells the streams', async () => {
    const [nora, second] = [await createMember(tenants), await createMember(tenants)]
    const out = await nora.call('DELETE', '/session')
    expect([out.status, out.headers.getSetCookie()[0]]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect(await outcomeOf(nora.call('GET', '/session'))).toBe('401 unauthorized')
    expect(await outcomeOf(second.call('GET', '/session'))).toBe('200')
  })

  it('is needed', async () => {
    const answer = await anybody('GET', '/session')
    expect(await answer.json()).toMatchObject({ status: 401, code: 'unauthorized', detail: 'Sign in at the desk.' })
    for (const cookie of ['__Host-natter-desk=x', `__Host-natter-desk=${'0'.repeat(64)}`, '__Host-natter-desk='])
      expect(await outcomeOf(as(cookie)('GET', '/session'))).toBe('401 unauthorized')
    const { organizationToken } = tenants.ours
    for (const token of [organizationToken, await tenants.ours.visitorToken()])
      expect(await outcomeOf(anybody('GET', '/session', { headers: { authorization: `Bearer ${token}` } }))).toBe(
        '401 unauthorized',
      )
  })
})

describe('a page of a member', () => {
  const rows = Object.entries(deskEndpoints as Record<string, Route>).filter(([, { auth }]) => auth !== 'desk')

  it('does nothing in the name of another one who has signed in since, at any endpoint', async () => {
    const ben = await createMember(tenants, { role: 'admin', name: 'Ben' })
    // All pages of a browser have one cookie.
    const adasPage = deskCalls(tenants.platform, ben.cookie, admin.id)
    for (const [name, { method, path }] of rows) {
      const below = path.replace('/desk/api', '').replace(/\{\w+\}/g, admin.id)
      const json = method === 'GET' ? {} : { json: {} }
      expect(await outcomeOf(adasPage(method, below, json)), name).toBe('401 unauthorized')
      // A page that has forgotten whose it is.
      if (name !== 'retrieveDeskSession')
        expect(await outcomeOf(as(ben.cookie)(method, below, json)), name).toBe('401 unauthorized')
    }
    expect(await outcomeOf(ben.call('GET', '/session'))).toBe('200')
    expect(await outcomeOf(as(ben.cookie)('GET', '/session'))).toBe('200')
  })

  it('may say in the query whose it is: streams, pictures and links have no headers', async () => {
    const file = `/conversations/${randomUUID()}/attachments/${randomUUID()}`
    const statusOf = async (path: string) => (await as(admin.cookie)('HEAD', path)).status
    expect(await statusOf(`/events?member=${admin.id}`)).toBe(200)
    expect(await statusOf(`${file}?member=${admin.id}`)).toBe(404)
    for (const path of ['/events', file]) expect(await statusOf(`${path}?member=${randomUUID()}`)).toBe(401)
  })
})

describe('a page of another site', () => {
  const origins = [
    ...[
      '',
      'null',
      'https://evil.example',
      'http://natter.test',
      'https://natter.test:444',
      'https://desk.natter.test',
    ],
    ...['https://natter.test.evil.example', 'https://natter.test, https://evil.example'],
  ]

  it.each(origins)('has no effect with the origin %j, whatever the cookie', async origin => {
    const headers = { origin }
    expect(await outcomeOf(admin.call('DELETE', '/session', { headers }))).toBe('403 wrong_origin')
    expect(await outcomeOf(signIn(admin.email, { headers }))).toBe('403 wrong_origin')
    expect(await outcomeOf(admin.call('GET', '/session'))).toBe('200')
  })

  it('has no effect with the Host of the desk either', async () => {
    const headers = { origin: 'https://evil.example', host: 'evil.example' }
    expect(await outcomeOf(admin.call('DELETE', '/session', { headers }))).toBe('403 wrong_origin')
  })

  it('cannot send a form or plain text', async () => {
    const body = JSON.stringify({ email: admin.email, password })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      const post = (headers: object) =>
        outcomeOf(admin.call('POST', '/session', { body, headers: { 'content-type': type, ...headers } }))
      expect(await post({})).toBe('415 unsupported_media_type')
      expect(await post({ origin: 'https://evil.example' })).toBe('403 wrong_origin')
    }
  })

  it('can read nothing, and gets no answer to a preflight', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' }
    const preflight = await admin.call('OPTIONS', '/session', { headers })
    expect(preflight.status).toBe(405)
    for (const answer of [preflight, await admin.call('GET', '/session', { headers })]) {
      expect([...answer.headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    const answer = await admin.call('GET', '/session')
    expect(answer.headers.get('vary')).toBe('Cookie')
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  it('cannot plant a session with a cookie that a subdomain sets', async () => {
    const planted = admin.cookie.replace('__Host-', '')
    expect(await outcomeOf(as(planted)('GET', '/session'))).toBe('401 unauthorized')
  })
})

describe('the public address', () => {
  it('without https is refused, except on this machine', async () => {
    const node = tenants.addNode({ baseUrl: 'http://chat.example' })
    const headers = { cookie: admin.cookie.replace('__Host-', '') }
    const answer = await admin.call('GET', '/session', { platform: node, headers })
    expect(await answer.json()).toMatchObject({ code: 'wrong_origin', detail: expect.stringContaining('--base-url') })
  })

  it.each(['http://localhost:8787', 'http://127.0.0.1:8787'])(
    '%s is this machine by any of its names',
    async baseUrl => {
      const node = tenants.addNode({ baseUrl })
      const out = async (origin: string) => {
        const { call, cookie } = await createMember(tenants)
        const headers = { origin, cookie: cookie.replace('__Host-', '') }
        return outcomeOf(call('DELETE', '/session', { platform: node, headers }))
      }
      for (const host of ['localhost', '127.0.0.1', '[::1]']) expect(await out(`http://${host}:8787`)).toBe('204')
      for (const origin of [
        'http://localhost',
        'http://localhost:3000',
        'https://localhost:8787',
        'http://natter.test:8787',
      ])
        expect(await out(origin)).toBe('403 wrong_origin')
    },
  )

  it('is by default this machine, at the port of the server', async () => {
    tenants = await createTestTenants({ baseUrl: undefined })
    const { id, cookie } = await createMember(tenants)
    const { port } = await tenants.serve()
    const out = (origin: string) =>
      outcomeOf(
        fetch(`http://127.0.0.1:${port}/desk/api/session`, {
          method: 'DELETE',
          headers: { origin, cookie: cookie.replace('__Host-', ''), 'natter-member': id },
        }),
      )
    expect(await out('http://localhost:1')).toBe('403 wrong_origin')
    expect(await out(`http://evil.example:${port}`)).toBe('403 wrong_origin')
    expect(await out(`http://localhost:${port}`)).toBe('204')
  })
})

it('keeps passwords and tokens out of the log', async () => {
  const token = await invite({ email: 'nora@shop.example' })
  const cookie = cookieOf(await accept(token))
  await signIn('nora@shop.example', { password: 'a wrong password' })
  await as(cookie)('GET', '/session')
  tenants.store.findMemberSession = () => Promise.reject(new Error(`Broken by ${cookie} and ${token}`))
  expect(await outcomeOf(as(cookie)('GET', '/session'))).toBe('500 internal')
  const log = tenants.lines.join('\n')
  expect(log).toContain('Broken by')
  for (const secret of [token, cookie.split('=')[1] ?? '', password, 'a wrong password'])
    expect(log).not.toContain(secret)
})
