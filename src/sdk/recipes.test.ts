import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { signWebhook } from '../contract/index.ts'
import { codeFile } from '../guides.ts'
import { startPlatform } from '../platform/index.ts'
import { installedLanguages } from './testing/languages.ts'
import {
  loadRecipe,
  type RecipeSite,
  type SiteSession,
  sessionsOf,
  startRecipe,
  typeErrors,
  writeRecipes,
} from './testing/recipes.ts'

const secret = `whsec_${btoa('0'.repeat(24))}`
const responderSecret = `whsec_${btoa('1'.repeat(24))}`
const ada = { email: 'ada@example.com', name: 'Ada', emailVerified: true }
let folder: string
let platform: Awaited<ReturnType<typeof startPlatform>>
let sessions: Map<string, SiteSession>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'natter-recipes-'))
  platform = await startPlatform({ database: ':memory:', port: 0, dev: true })
  vi.stubEnv('NATTER_BASE_URL', platform.baseUrl)
  vi.stubEnv('NATTER_BOT_ID', platform.botId)
  vi.stubEnv('NATTER_ORGANIZATION_TOKEN', platform.organizationToken)
  vi.stubEnv('NATTER_EVENTS_SECRET', secret)
  vi.stubEnv('NATTER_RESPONDER_SECRET', responderSecret)
  vi.stubEnv('SESSION_SECRET', 'of the site')
  vi.stubEnv('PORT', '0')
  writeRecipes(folder)
  sessions = await sessionsOf(folder)
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterAll(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await platform.close()
  await rm(folder, { recursive: true, force: true })
})

const post = (site: RecipeSite, path: string, headers: HeadersInit, body = '') =>
  site.fetch(new Request(`https://shop.example${path}`, { method: 'POST', headers, ...(body && { body }) }))

const sameOrigin = (session: string) => ({ 'sec-fetch-site': 'same-origin', cookie: `session=${session}` })

/** The session of a contact token, as the widget would see it; its `code` where it would be refused. */
async function sessionOf(
  token: string | undefined,
): Promise<{ contact?: { id: string; name: string }; code?: string }> {
  const url = `${platform.baseUrl}/v1/bots/${platform.botId}/widget/session`
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const { data, code } = (await answer.json()) as { data?: { contact: { id: string; name: string } }; code?: string }
  return data ?? { ...(code && { code }) }
}

it('the recipes are correct TypeScript', async () => {
  expect(await typeErrors(folder)).toBe('')
})

it('the README has the same token route as the guide of the SDK', () => {
  expect(codeFile('README.md', 'chatToken.ts')).toBe(codeFile('src/sdk/README.md', 'chatToken.ts'))
})

const frameworks = ['Hono', 'Express', 'Fastify', 'Next.js', ...installedLanguages()]

describe.each(frameworks)('the recipe for %s', framework => {
  let site: RecipeSite
  beforeAll(async () => {
    site = await startRecipe(folder, framework)
    sessions.set('1', { user: ada })
    // A compiler may see its standard library for the first time.
  }, 300_000)
  afterAll(() => site.close())

  const ask = async (session: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await post(site, '/chat-token', { ...sameOrigin(session), ...headers }, JSON.stringify(body))
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const text = await answer.text()
    const { data } = JSON.parse(text || '{}') as { data?: { token: string } }
    return { status: answer.status, token: data?.token }
  }

  it('gives whoever is signed in a contact token, and another one only when the first no longer works', async () => {
    const { status, token } = await ask('1', { contact: null, token: 'none' })
    expect(status).toBe(200)
    const { contact } = await sessionOf(token)
    expect(contact?.name).toBe('Ada')
    expect(await ask('1', { contact: contact?.id, token: 'valid' })).toEqual({ status: 204, token: undefined })
    const renewed = await ask('1', { contact: contact?.id, token: 'expired' })
    expect(await sessionOf(renewed.token)).toMatchObject({ contact })
  })

  it('refuses people who are not signed in, pages of other sites, and bodies that are something else', async () => {
    expect((await ask('none', { contact: null, token: 'none' })).status).toBe(401)
    const foreign = { 'sec-fetch-site': 'cross-site' }
    expect((await ask('1', { contact: null, token: 'none' }, foreign)).status).toBe(403)
    expect((await ask('1', {})).status).toBe(400)
  })

  it('takes webhooks that the platform has signed, and no others', async () => {
    const at = new Date().toISOString()
    const message = { id: 'm', seq: 1, author: 'visitor', text: 'Hëllo', format: 'plain', createdAt: at }
    const data = { conversationId: 'c', contact: { id: '1', name: 'Ada' }, message }
    const body = JSON.stringify({ id: 'e', createdAt: at, botId: 'b', type: 'message.created', data })
    const sign = async (seconds: number) => ({ ...(await signWebhook(secret, 'e', Math.floor(seconds), body)) })
    const headers = await sign(Date.now() / 1000)
    expect((await post(site, '/chat-events', headers, body)).status).toBe(204)
    expect((await post(site, '/chat-events', headers, body.replace('Hëllo', 'Hi'))).status).toBe(401)
    expect((await post(site, '/chat-events', await sign(Date.now() / 1000 - 400), body)).status).toBe(401)
    expect((await post(site, '/chat-events', {})).status).toBe(401)
  })
})

it('the complete site signs the chosen person in and out, with a secure cookie behind TLS', async () => {
  const { server } = await loadRecipe(folder, 'site.ts')
  if (!server.listening) await once(server, 'listening')
  const send = async (
    path: string,
    { cookie = '', body = '{"contact":null,"token":"none"}', scheme = 'http' } = {},
  ) => {
    const type = path === '/sign-in' ? 'application/x-www-form-urlencoded' : 'application/json'
    const headers = { 'sec-fetch-site': 'same-origin', cookie, 'content-type': type, 'x-forwarded-proto': scheme }
    const answer = await fetch(`http://127.0.0.1:${server.address().port}${path}`, { method: 'POST', headers, body })
    return { answer, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie }
  }
  expect((await send('/chat-token')).answer.status).toBe(401)
  expect((await send('/sign-in', { body: 'person=nobody' })).answer.status).toBe(401)
  const secure = await send('/sign-in', { body: 'person=ada', scheme: 'https' })
  expect(secure.answer.headers.getSetCookie()[0]).toContain('; Secure')
  const { cookie } = await send('/sign-in', { body: 'person=grace' })
  const { answer } = await send('/chat-token', { cookie })
  const { data } = (await answer.json()) as { data: { token: string } }
  expect((await sessionOf(data.token)).contact?.name).toBe('Grace Hopper')
  await send('/sign-out', { cookie })
  expect((await send('/chat-token', { cookie })).answer.status).toBe(401)
  server.close()
})

it('the recipe for a webhook that answers takes questions of the platform, and no others', async () => {
  const { onQuestion } = await loadRecipe(folder, 'answer.ts')
  const at = new Date().toISOString()
  const message = { id: 'm', seq: 1, author: 'visitor', text: 'Is it red?', format: 'plain', createdAt: at }
  const data = { conversationId: 'c', contact: null, messages: [message] }
  const body = JSON.stringify({ id: 'e', createdAt: at, botId: 'b', type: 'turn.requested', data })
  const send = async (by: string): Promise<Response> => {
    const headers = { ...(await signWebhook(by, 'e', Math.floor(Date.now() / 1000), body)) }
    return onQuestion(new Request('https://shop.example/chat-answer', { method: 'POST', headers, body }))
  }
  expect(await (await send(responderSecret)).json()).toMatchObject({ text: 'You asked: Is it red?' })
  expect((await send(secret)).status).toBe(401)
})

describe('the recipe for signing in by hand', () => {
  let site: RecipeSite
  beforeAll(async () => {
    const { app } = await loadRecipe(folder, 'byHand.ts')
    site = { fetch: async request => app.fetch(request), close: async () => {} }
  })

  /** A page of the site asks for its token; the status where it gets none. */
  async function chatToken(session: string, body: unknown = {}, headers: Record<string, string> = {}) {
    const answer = await post(site, '/chat-token', { ...sameOrigin(session), ...headers }, JSON.stringify(body))
    if (answer.status !== 200) return answer.status
    expect(answer.headers.get('cache-control')).toBe('no-store')
    return ((await answer.json()) as { data: { token: string } }).data.token
  }

  /** Who the widget would take the holder of a token for, or why it would refuse. */
  async function holderOf(token: string | number): Promise<string | undefined> {
    const { contact, code } = await sessionOf(String(token))
    return contact?.name ?? code
  }

  it('gives whoever is signed in a contact token, and nobody else', async () => {
    sessions.set('1', { user: ada })
    expect(await holderOf(await chatToken('1'))).toBe('Ada')
    expect(await chatToken('none')).toBe(401)
  })

  it('makes one contact token for a session, and another only in the place of one that has ended', async () => {
    sessions.set('2', { user: ada })
    const first = await chatToken('2')
    expect(await Promise.all([chatToken('2'), chatToken('2', null), chatToken('2', { ended: 'c:0' })])).toEqual(
      Array(3).fill(first),
    )
    const second = await chatToken('2', { ended: first })
    expect(second).not.toBe(first)
    expect(await holderOf(second)).toBe('Ada')
    // A tab that notices it later.
    expect(await chatToken('2', { ended: first })).toBe(second)
  })

  it('gives the token of a session to no other site, and to nobody once its user has signed out', async () => {
    const session: SiteSession = { user: ada }
    sessions.set('3', session)
    const token = await chatToken('3')
    expect(token).toMatch(/^c:/)
    expect(await chatToken('3', {}, { 'sec-fetch-site': 'cross-site' })).toBe(403)
    session.user = null
    expect(await chatToken('3')).toBe(401)
    session.user = { email: 'grace@example.com', name: 'Grace' }
    expect(await holderOf(await chatToken('3'))).toBe('Grace')
  })

  it('revokes the token of whoever signs out', async () => {
    sessions.set('4', { user: ada })
    const token = await chatToken('4')
    expect((await post(site, '/sign-out', { cookie: 'session=4' })).status).toBe(204)
    expect(await holderOf(token)).toBe('token_revoked')
    expect((await post(site, '/sign-out', { cookie: 'session=4' })).status).toBe(204)
  })
})
