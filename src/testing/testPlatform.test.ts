import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type EndpointName, endpoints, pathOf } from '../contract/index.ts'
import { startTestPlatform, type TestPlatformOptions } from './testPlatform.ts'

async function start(options?: TestPlatformOptions) {
  const platform = await startTestPlatform(options)
  onTestFinished(() => platform.close())
  return platform
}

/** A visitor of a platform. */
async function visit({ baseUrl, botId }: { baseUrl: string; botId: string }) {
  const call = async (name: EndpointName, bearer: string, body?: object) => {
    const response = await fetch(baseUrl + pathOf(name, { botId }), {
      method: endpoints[name].method,
      headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return ((await response.json()) as { data: { token: string } }).data
  }
  const { token } = await call('createVisitorSession', '')
  return { send: (text: string) => call('sendMessage', token, { id: crypto.randomUUID(), text }) }
}

describe('a platform for the tests of a site', () => {
  it('has an organization and a bot, and starts beside another one', async () => {
    const [first, second] = [await start(), await start({ name: 'Shop', greeting: 'Good day' })]
    expect(first.baseUrl).not.toBe(second.baseUrl)
    expect(first.scriptTag).toBe(
      `<script src="${first.baseUrl}/natter.js" data-bot-id="${first.botId}" async></script>`,
    )
    const { id } = await first.client.contacts.create({ name: 'Ada Lovelace', email: 'ada@example.com' })
    expect((await first.client.contactTokens.create({ id })).token).toMatch(/^c:[0-9a-f]{64}$/)
    const response = await fetch(`${second.baseUrl}/v1/bots/${second.botId}/widget`)
    expect(await response.json()).toMatchObject({ data: { name: 'Shop', greeting: 'Good day' } })
  })

  it('can be embedded by localhost and by the given origins', async () => {
    const { baseUrl, botId } = await start({ origins: ['https://shop.test'] })
    const allowed = async (origin: string) => {
      const { headers } = await fetch(`${baseUrl}/v1/bots/${botId}/widget`, { headers: { origin } })
      return headers.get('access-control-allow-origin')
    }
    for (const origin of ['https://shop.test', 'http://localhost:4711']) expect(await allowed(origin)).toBe(origin)
    expect(await allowed('https://other.test')).toBeNull()
  })

  it('answers each message of a visitor as the test says, or not at all', async () => {
    const asked: string[] = []
    const platform = await start({
      answer(text) {
        asked.push(text)
        return text === 'Quiet' ? null : `You asked: ${text}`
      },
    })
    const { send } = await visit(platform)
    await send('Quiet')
    await expect.poll(() => asked).toEqual(['Quiet'])
    await send('Loud')
    const [conversation] = (await platform.client.conversations.list()).data
    const texts = async () => {
      const messages = await platform.client.conversations.messages.list(conversation?.id ?? '')
      return messages.map(({ author, text }) => `${author}: ${text}`).sort()
    }
    await expect.poll(texts).toEqual(['bot: You asked: Loud', 'visitor: Loud', 'visitor: Quiet'])
  })

  it("leaves the site's own Request and Response alone", async () => {
    const before = [Request, Response]
    const { baseUrl } = await start()
    expect([Request, Response]).toEqual(before)
    expect(await fetch(baseUrl)).toBeInstanceOf(Response)
  })

  it('stops when it is closed', async () => {
    const platform = await startTestPlatform()
    await platform.close()
    await expect(fetch(platform.baseUrl)).rejects.toThrow()
  })

  it('leaves nothing behind if it cannot start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const name = (() => 'no text') as never
    await expect(startTestPlatform({ name })).rejects.toThrow('could not be cloned')
    expect(readdirSync(folder)).toEqual([])
  })
})
