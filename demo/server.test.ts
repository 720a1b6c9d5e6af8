import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startPlatform } from 'natter/platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Demo, platformOf, startDemo } from './server.ts'
import type { ShopOptions } from './shop.ts'

let platform: ShopOptions & { close(): Promise<void> }
let demo: Demo
beforeAll(async () => {
  const {
    baseUrl,
    botId = '',
    organizationToken = '',
    close,
  } = await startPlatform({
    database: ':memory:',
    port: 0,
    dev: true,
  })
  platform = { baseUrl, botId, organizationToken, close }
  demo = await startDemo({ platform })
})
afterAll(async () => {
  await demo.close()
  await platform.close()
})

/** A browser with a cookie jar, and everything that it has been sent. */
function createBrowser() {
  let cookie = ''
  const received: string[] = []
  const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const own = { 'sec-fetch-site': 'same-origin', cookie }
    const response = await fetch(demo.url + path, { method, headers: { ...own, ...headers } })
    const [setCookie] = response.headers.getSetCookie()
    if (setCookie) cookie = setCookie.split(';')[0] ?? ''
    const text = await response.text()
    received.push(JSON.stringify([...response.headers]), text)
    return { status: response.status, headers: response.headers, text, setCookie }
  }
  return {
    ask,
    received: () => received.join('\n'),
    signIn: (as = 'ada') => ask('POST', `/api/sign-in?as=${as}`),
    async chatToken(): Promise<string> {
      return JSON.parse((await ask('POST', '/api/chat-token')).text).data.token
    },
  }
}
const chatStatus = async (token: string) => {
  const url = `${platform.baseUrl}/v1/bots/${platform.botId}/widget/session`
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status
}

describe('the demo shop', () => {
  it('keeps a session in a cookie that scripts and other sites do not get', async () => {
    const { setCookie } = await createBrowser().signIn()
    expect(setCookie).toMatch(/^acme_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  it('gives whoever is signed in a contact token, and nobody else', async () => {
    const browser = createBrowser()
    expect((await browser.ask('POST', '/api/chat-token')).status).toBe(401)
    await browser.signIn('grace')
    const token = await browser.chatToken()
    expect(await chatStatus(token)).toBe(200)
    expect(JSON.parse((await browser.ask('GET', '/api/session')).text)).toEqual({ name: 'Grace Hopper', token })
  })

  it('revokes the token from its server, and when signing out', async () => {
    const browser = createBrowser()
    await browser.signIn()
    const first = await browser.chatToken()
    expect((await browser.ask('POST', '/api/revoke')).status).toBe(204)
    const second = await browser.chatToken()
    expect([await chatStatus(first), await chatStatus(second)]).toEqual([401, 200])
    await browser.ask('POST', '/api/sign-out')
    expect(await chatStatus(second)).toBe(401)
    expect(JSON.parse((await browser.ask('GET', '/api/session')).text)).toEqual({ name: null, token: null })
  })

  it('never lets the organization token out, and tells the page what its server has asked', async () => {
    const browser = createBrowser()
    for (const path of ['/', '/main.ts', '/page/traffic.ts', '/page/shop.css']) await browser.ask('GET', path)
    await browser.signIn()
    const token = await browser.chatToken()
    const { headers } = await browser.ask('POST', '/api/revoke')
    expect(headers.get('x-platform-calls')).toMatch(/^\["DELETE [^"]*\/auth\/contacts\/c:\*\*\* 204"\]$/)
    expect(headers.get('x-platform-calls')).not.toContain(token.slice(2))
    expect(browser.received()).not.toContain(platform.organizationToken)
  })

  it('refuses other sites, unknown customers and unknown paths', async () => {
    const { ask } = createBrowser()
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    expect((await ask('POST', '/api/sign-in?as=ada', foreign)).status).toBe(403)
    expect((await ask('POST', '/api/sign-in?as=constructor')).status).toBe(404)
    for (const path of ['/server.ts', '/shop.ts', '/page/../server.ts', '/page/%2e%2e/shop.ts', '/content/orders.md']) {
      expect((await ask('GET', path)).status, path).toBe(404)
    }
  })

  it('serves its page under a strict policy with a fresh nonce', async () => {
    const { ask } = createBrowser()
    const policies = [await ask('GET', '/'), await ask('GET', '/')].map(({ headers, text }) => {
      const policy = headers.get('content-security-policy') ?? ''
      const [, nonce = 'none'] = /'nonce-([^']+)'/.exec(policy) ?? []
      expect(text.match(/<script /g)?.length).toBe(text.split(`nonce="${nonce}"`).length - 1)
      expect(policy).toContain(`connect-src 'self' ${platform.baseUrl};`)
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
      return policy
    })
    expect(policies[0]).not.toBe(policies[1])
  })

  it('serves its scripts without types', async () => {
    const { headers, text } = await createBrowser().ask('GET', '/main.ts')
    expect(headers.get('content-type')).toContain('text/javascript')
    expect(text).not.toContain('import type')
  })
})

describe('startDemo', () => {
  it('starts a platform of its own, whose script its page embeds', async () => {
    const own = await startDemo()
    try {
      const page = await (await fetch(own.url)).text()
      const [, script = ''] = /src="([^"]+\/natter\.js)"/.exec(page) ?? []
      expect((await fetch(script)).status).toBe(200)
    } finally {
      await own.close()
    }
  })

  it('rejects on a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise(done => server.once('listening', done))
    const { port } = server.address() as AddressInfo
    await expect(startDemo({ platform, port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    server.close()
  })
})

describe('platformOf', () => {
  const all = { NATTER_BASE_URL: 'https://chat.example', NATTER_BOT_ID: 'b', NATTER_ORGANIZATION_TOKEN: 'o_1' }
  it('takes all three variables or none', () => {
    expect(platformOf(all)).toEqual({ baseUrl: 'https://chat.example', botId: 'b', organizationToken: 'o_1' })
    expect(platformOf({})).toBeUndefined()
  })
  it('throws where only some are set, and names the others', () => {
    expect(() => platformOf({ ...all, NATTER_BOT_ID: '' })).toThrow('Set NATTER_BOT_ID too')
    expect(() => platformOf({ NATTER_BASE_URL: 'x' })).toThrow('NATTER_BOT_ID and NATTER_ORGANIZATION_TOKEN')
  })
})
