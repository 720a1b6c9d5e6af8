import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { signWebhook } from '../contract/index.ts'
import { startPlatform } from '../platform/index.ts'
import { loadReadmeSite, type ReadmeSite } from './testing/readme.ts'

const secret = `whsec_${btoa('0'.repeat(24))}`
const ada = { email: 'ada@example.com', name: 'Ada' }
let folder: string
let platform: Awaited<ReturnType<typeof startPlatform>>
let site: ReadmeSite

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'natter-recipes-'))
  platform = await startPlatform({ database: ':memory:', port: 0, dev: true })
  vi.stubEnv('NATTER_BASE_URL', platform.baseUrl)
  vi.stubEnv('NATTER_BOT_ID', platform.botId)
  vi.stubEnv('NATTER_ORGANIZATION_TOKEN', platform.organizationToken)
  vi.stubEnv('NATTER_WEBHOOK_SECRET', secret)
  site = await loadReadmeSite(folder)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await platform.close()
  await rm(folder, { recursive: true, force: true })
})

const post = (path: string, headers: HeadersInit, body?: string) =>
  site.fetch(new Request(`https://shop.example${path}`, { method: 'POST', headers, ...(body && { body }) }))

/** A page of the site asks for its token; the status where it gets none. */
async function chatToken(session: string, body: unknown = {}, headers: Record<string, string> = {}) {
  const own = { 'sec-fetch-site': 'same-origin', cookie: `session=${session}` }
  const answer = await post('/chat-token', { ...own, ...headers }, JSON.stringify(body))
  if (answer.status !== 200) return answer.status
  expect(answer.headers.get('cache-control')).toBe('no-store')
  return ((await answer.json()) as { data: { token: string } }).data.token
}

/** Who the widget would take the holder of a token for, or why it would refuse. */
async function holderOf(token: string | number): Promise<string | undefined> {
  const url = `${platform.baseUrl}/v1/bots/${platform.botId}/widget/session`
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const { data, code } = (await answer.json()) as { data?: { contact: { name: string } }; code?: string }
  return data?.contact.name ?? code
}

describe("the README's recipe for Hono", () => {
  it('gives whoever is signed in a contact token, and nobody else', async () => {
    site.sessions.set('1', { user: ada })
    expect(await holderOf(await chatToken('1'))).toBe('Ada')
    expect(await chatToken('none')).toBe(401)
  })

  it('makes one contact token for a session, and another only in the place of one that has ended', async () => {
    site.sessions.set('2', { user: ada })
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
    const session: { user: typeof ada | null } = { user: ada }
    site.sessions.set('3', session)
    const token = await chatToken('3')
    expect(token).toMatch(/^c:/)
    expect(await chatToken('3', {}, { 'sec-fetch-site': 'cross-site' })).toBe(403)
    session.user = null
    expect(await chatToken('3')).toBe(401)
    session.user = { email: 'grace@example.com', name: 'Grace' }
    expect(await holderOf(await chatToken('3'))).toBe('Grace')
  })

  it('revokes the token of whoever signs out', async () => {
    site.sessions.set('4', { user: ada })
    const token = await chatToken('4')
    expect((await post('/sign-out', { cookie: 'session=4' })).status).toBe(204)
    expect(await holderOf(token)).toBe('token_revoked')
    expect((await post('/sign-out', { cookie: 'session=4' })).status).toBe(204)
  })

  it('takes webhooks that the platform has signed, and no others', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const at = new Date().toISOString()
    const message = { id: 'm', seq: 1, author: 'visitor', text: 'Hello', format: 'plain', createdAt: at }
    const data = { conversationId: 'c', contact: { id: '1', name: 'Ada' }, message }
    const body = JSON.stringify({ id: 'e', createdAt: at, botId: 'b', type: 'message.created', data })
    const headers = { ...(await signWebhook(secret, 'e', Math.floor(Date.now() / 1000), body)) }
    expect((await post('/chat-events', headers, body)).status).toBe(204)
    expect(console.log).toHaveBeenCalledWith('Ada', 'Hello')
    expect((await post('/chat-events', headers, body.replace('Hello', 'Hi'))).status).toBe(400)
    expect((await post('/chat-events', {})).status).toBe(400)
  })
})
