import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { signWebhook } from '../contract/index.ts'
import { startPlatform } from '../platform/index.ts'

const secret = `whsec_${btoa('0'.repeat(24))}`
let folder: string
let platform: Awaited<ReturnType<typeof startPlatform>>
let app: { fetch(request: Request): Promise<Response> }

/** The README's files, as they stand there but for the addresses of what they import. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'natter-recipes-'))
  platform = await startPlatform({ database: ':memory:', port: 0, dev: true })
  vi.stubEnv('NATTER_BASE_URL', platform.baseUrl)
  vi.stubEnv('NATTER_BOT_ID', platform.botId)
  vi.stubEnv('NATTER_ORGANIZATION_TOKEN', platform.organizationToken)
  vi.stubEnv('NATTER_WEBHOOK_SECRET', secret)
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')
  const imported: Record<string, string> = {
    'natter/sdk': pathToFileURL(join(import.meta.dirname, 'index.ts')).href,
    hono: import.meta.resolve('hono'),
  }
  for (const name of ['chat.ts', 'hono.ts']) {
    const text = readme.split(`\`\`\`ts\n// ${name}\n`)[1]?.split('```')[0] ?? ''
    await writeFile(
      join(folder, name),
      text.replace(/from '([^'.]+)'/g, (_, from) => `from '${imported[from]}'`),
    )
  }
  await writeFile(
    join(folder, 'session.ts'),
    `export const currentUser = ({ headers }: Request) =>
      headers.get('cookie') === 'user=ada' ? { email: 'ada@example.com', name: 'Ada' } : null`,
  )
  ;({ app } = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'hono.ts')).href))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await platform.close()
  await rm(folder, { recursive: true, force: true })
})

const post = (path: string, headers: HeadersInit, body?: string) =>
  app.fetch(new Request(`https://shop.example${path}`, { method: 'POST', headers, ...(body && { body }) }))

describe("the README's recipe for Hono", () => {
  it('gives whoever is signed in a contact token, and nobody else', async () => {
    const sameOrigin = { 'sec-fetch-site': 'same-origin' }
    const answer = await post('/chat-token', { ...sameOrigin, cookie: 'user=ada' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ data: { token: expect.stringMatching(/^c:/) } })
    expect((await post('/chat-token', sameOrigin)).status).toBe(401)
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
