import { startPlatform } from 'natter/platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localeFiles } from '../src/widget/i18n/locales.ts'
import { listen } from './listen.ts'
import { locales } from './page/switches.ts'
import type { ShopOptions } from './shopOptions.ts'
import { type Demo, startDemo } from './start.ts'

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

/** A browser with a cookie jar, and everything that it has received. */
function createBrowser(url = demo.url) {
  let cookie = ''
  const received: string[] = []
  const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
    const own = { 'sec-fetch-site': 'same-origin', cookie }
    const response = await fetch(url + path, { method, headers: { ...own, ...headers }, ...(body && { body }) })
    const [setCookie] = response.headers.getSetCookie()
    if (setCookie) cookie = setCookie.split(';')[0] ?? ''
    const text = await response.text()
    received.push(JSON.stringify([...response.headers]), text)
    return { status: response.status, headers: response.headers, text, setCookie }
  }
  const askWhoIsSignedIn = (contact: string | null, token: string) =>
    ask('POST', '/api/contact-token', {}, JSON.stringify({ contact, token }))
  return {
    ask,
    received: () => received.join('\n'),
    signIn: (as = 'ada') => ask('POST', `/api/sign-in?as=${as}`),
    agent: (doing: object) => ask('POST', '/api/agent', {}, JSON.stringify(doing)),
    /** Requests a token as the widget does. */
    askWhoIsSignedIn,
    async newToken(): Promise<string> {
      return JSON.parse((await askWhoIsSignedIn(null, 'none')).text).data.token
    },
  }
}
const askPlatform = (path: string, token: string, body?: object) =>
  fetch(`${platform.baseUrl}/v1/bots/${platform.botId}/widget/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  })
const chatStatus = async (token: string) => (await askPlatform('session', token)).status
const contactOf = async (token: string) =>
  ((await (await askPlatform('session', token)).json()) as { data: { contact: { id: string } } }).data.contact
const messagesOf = async (token: string) =>
  ((await (await askPlatform('messages', token)).json()) as { data: Record<string, unknown>[] }).data

/** The platform behind a proxy that delays the response with a new contact token until it is released. */
async function slowPlatform() {
  const made = Promise.withResolvers<string>()
  const released = Promise.withResolvers<void>()
  const proxy = await listen(async request => {
    const { method, url } = request
    const { pathname, search } = new URL(url)
    const authorization = request.headers.get('authorization') ?? ''
    const body = await request.text()
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(platform.baseUrl + pathname + search, { method, headers, ...(body && { body }) })
    const text = await response.text()
    if (method === 'PUT' && pathname.endsWith('/auth/contacts')) {
      made.resolve((JSON.parse(text) as { data: { token: string } }).data.token)
      await released.promise
    }
    return new Response(text || null, { status: response.status, headers: { 'content-type': 'application/json' } })
  }, 0)
  return { ...proxy, token: made.promise, release: () => released.resolve() }
}

/** The URLs in the page of the single-page app. */
async function spaFiles({ ask }: ReturnType<typeof createBrowser>): Promise<string[]> {
  return [...(await ask('GET', '/spa/')).text.matchAll(/"(\/spa\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
}

describe('the demo shop', () => {
  it('keeps its session in a cookie that scripts and other sites cannot read', async () => {
    const { setCookie } = await createBrowser().signIn()
    expect(setCookie).toMatch(/^acme_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  it('issues a contact token to a signed-in customer only', async () => {
    const browser = createBrowser()
    expect((await browser.askWhoIsSignedIn(null, 'none')).status).toBe(401)
    await browser.signIn('grace')
    const token = await browser.newToken()
    expect(await chatStatus(token)).toBe(200)
    expect(JSON.parse((await browser.ask('GET', '/api/session')).text)).toEqual({ name: 'Grace Hopper' })
  })

  it.each(['sign-out', 'expire-session'])(
    'answers the widget 204 while the same customer is signed in, and 401 after /api/%s',
    async path => {
      const browser = createBrowser()
      await browser.signIn('grace')
      const { id } = await contactOf(await browser.newToken())
      expect((await browser.askWhoIsSignedIn(id, 'valid')).status).toBe(204)
      expect((await browser.ask('POST', `/api/${path}`)).status).toBe(204)
      expect((await browser.askWhoIsSignedIn(id, 'valid')).status).toBe(401)
      expect(JSON.parse((await browser.ask('GET', '/api/session')).text)).toEqual({ name: null })
    },
  )

  it('ends the former session when another customer signs in, and gives the widget a token of that customer', async () => {
    const browser = createBrowser()
    const { setCookie = '' } = await browser.signIn('ada')
    const { id } = await contactOf(await browser.newToken())
    await browser.signIn('grace')
    const { status, text } = await browser.askWhoIsSignedIn(id, 'valid')
    expect(status).toBe(200)
    expect(await contactOf(JSON.parse(text).data.token)).toMatchObject({ name: 'Grace Hopper' })
    const former = { cookie: setCookie.split(';')[0] ?? '' }
    expect((await browser.ask('GET', '/api/session', former)).text).toBe('{"name":null}')
  })

  it('gives no token to a page whose customer signs out while it is being created, and revokes it', async () => {
    const slow = await slowPlatform()
    const slowDemo = await startDemo({ platform: { ...platform, baseUrl: slow.url } })
    try {
      const browser = createBrowser(slowDemo.url)
      await browser.signIn()
      const answer = browser.askWhoIsSignedIn(null, 'none')
      const token = await slow.token
      await browser.ask('POST', '/api/sign-out')
      expect(await chatStatus(token)).toBe(200)
      slow.release()
      expect((await answer).status).toBe(401)
      expect(await chatStatus(token)).toBe(401)
    } finally {
      await slowDemo.close()
      await slow.close()
    }
  })

  it('revokes the tokens of a session from its server, and no others', async () => {
    const [browser, elsewhere] = [createBrowser(), createBrowser()]
    for (const each of [browser, elsewhere]) await each.signIn()
    const [first, second, other] = [await browser.newToken(), await browser.newToken(), await elsewhere.newToken()]
    expect((await browser.ask('POST', '/api/revoke')).status).toBe(204)
    const next = await browser.newToken()
    expect(await Promise.all([first, second, other, next].map(chatStatus))).toEqual([401, 401, 200, 200])
  })

  it('ends all tokens of the signed-in customer, or deletes the contact, who can return as a new one', async () => {
    const [first, second] = [createBrowser(), createBrowser()]
    const tokens: string[] = []
    for (const browser of [first, second]) {
      await browser.signIn('grace')
      tokens.push(await browser.newToken())
    }
    expect((await first.ask('POST', '/api/sign-out-everywhere')).status).toBe(204)
    expect(await Promise.all(tokens.map(chatStatus))).toEqual([401, 401])

    await first.agent({ do: 'write', text: 'Before' })
    const before = await first.newToken()
    expect(await messagesOf(before)).toHaveLength(1)
    expect((await first.ask('POST', '/api/delete-contact')).status).toBe(204)
    expect(await chatStatus(before)).toBe(401)
    expect(await messagesOf(await first.newToken())).toEqual([])
  })

  it("writes to the signed-in customer as a member of the shop's team", async () => {
    const browser = createBrowser()
    expect((await browser.agent({ do: 'write', text: 'Hello' })).status).toBe(409)
    for (const path of ['sign-out-everywhere', 'delete-contact']) {
      expect((await browser.ask('POST', `/api/${path}`)).status, path).toBe(409)
    }
    await browser.signIn('ada')
    expect((await browser.agent({ do: 'write', text: ' ' })).status).toBe(400)
    expect((await browser.ask('POST', '/api/agent', {}, 'no JSON')).status).toBe(400)
    expect((await browser.agent({ do: 'whistle', text: 'Hello' })).status).toBe(400)
    for (const doing of ['write', 'send-files', 'hand-back', 'write-with-sources', 'remove'])
      expect((await browser.agent({ do: doing, text: '**Hello**' })).status, doing).toBe(204)
    const hello = { author: 'agent', text: '**Hello**', format: 'markdown', sender: { name: 'Nora' } }
    expect(await messagesOf(await browser.newToken())).toMatchObject([
      hello,
      hello,
      { text: '', attachments: [{ name: 'Chelsea boots.webp', width: 600 }, { name: 'Care guide.txt' }] },
      { author: 'system', event: 'handed_back' },
      { text: '', removedAt: expect.any(String) },
    ])
  })

  it('never reveals the organization token, and tells the page which calls its server has made', async () => {
    const browser = createBrowser()
    for (const path of ['/', '/main.ts', '/page/traffic.ts', '/page/shop.css', '/spa/', ...(await spaFiles(browser))]) {
      await browser.ask('GET', path)
    }
    await browser.signIn()
    const token = await browser.newToken()
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
    for (const path of [
      '/server.ts',
      '/start.ts',
      '/shop.ts',
      '/page/../server.ts',
      '/page/%2e%2e/shop.ts',
      '/content/orders.md',
    ]) {
      expect((await ask('GET', path)).status, path).toBe(404)
    }
  })

  it.each(['/', '/spa/'])('serves %s under a strict policy with a fresh nonce', async path => {
    const { ask } = createBrowser()
    const policies = [await ask('GET', path), await ask('GET', path)].map(({ headers, text }) => {
      const policy = headers.get('content-security-policy') ?? ''
      const [, nonce = 'none'] = /'nonce-([^']+)'/.exec(policy) ?? []
      const scripts = text.match(/<script [^>]+/g) ?? []
      expect(scripts.length).toBeGreaterThan(0)
      for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`)
      expect(policy).toContain(`connect-src 'self' ${platform.baseUrl};`)
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
      return policy
    })
    expect(policies[0]).not.toBe(policies[1])
  })

  it('serves the built single-page app for each of its paths', async () => {
    const browser = createBrowser()
    const files = await spaFiles(browser)
    expect(files.map(path => path.split('.').at(-1)).sort()).toEqual(['css', 'js'])
    for (const path of files) expect((await browser.ask('GET', path)).status, path).toBe(200)
    expect((await browser.ask('GET', '/spa/orders')).text).toContain('<div id="app"')
    expect((await browser.ask('GET', '/spa/assets/none.js')).status).toBe(404)
  })

  it('applies the choices of a URL to its page, and ignores unknown ones', async () => {
    const { ask } = createBrowser()
    expect((await ask('GET', '/?theme=dark&position=start')).text).toMatch(/data-theme="dark" data-position="start"/)
    expect((await ask('GET', '/?theme="><script>&position=up')).text).toMatch(/data-theme="auto" data-position="end"/)
    expect((await ask('GET', '/')).text).toContain('data-token-url="/api/contact-token"')
  })
  it('offers every language of the widget', () => {
    expect(Object.keys(locales).sort()).toEqual(['en', ...Object.keys(localeFiles)].sort())
  })

  it('refuses the panel at both of its addresses, but not again, if its page asks for that, and serves nothing but scripts', async () => {
    const { ask } = createBrowser()
    const page = (await ask('GET', '/?state=panel-failed')).text
    expect(page).toContain('src="/faulty/natter.js"')
    const script = (await ask('GET', '/faulty/natter.js')).text
    const [panel = ''] = /natter@[^"'`]*\/panel-[^"'`]*\.js/.exec(script) ?? []
    const statuses: number[] = []
    for (const path of [panel, `${panel}?1796000000000`, panel, 'v1/bots', '/evil.example/x.js?y'])
      statuses.push((await ask('GET', `/faulty/${path}`)).status)
    expect(statuses).toEqual([503, 503, 200, 404, 404])
  })

  it('serves its TypeScript without types', async () => {
    const { headers, text } = await createBrowser().ask('GET', '/main.ts')
    expect(headers.get('content-type')).toContain('text/javascript')
    expect(text).not.toContain('import type')
  })
})
