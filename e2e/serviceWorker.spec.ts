import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { Chat, expect, test } from './fixtures.ts'
import type { Platform } from './processes.ts'

/** Common caching strategies of service workers, which also handle GET requests to other origins. */
const strategies: Record<string, string> = {
  'responds from its cache first': `
    const found = await cache.match(request)
    if (found) return found
    const response = await fetch(request)
    cache.put(request, response.clone()).catch(() => {})
    return response`,
  'responds with stale content and revalidates': `
    const found = await cache.match(request)
    const fresh = fetch(request).then(response => {
      cache.put(request, response.clone()).catch(() => {})
      return response
    })
    return found || fresh`,
  'responds after it has cached the response': `
    const found = await cache.match(request)
    if (found) return found
    const response = await fetch(request)
    await cache.put(request, response.clone())
    return response`,
}

const worker = (strategy: string) => `
addEventListener('install', () => skipWaiting())
addEventListener('activate', event => event.waitUntil(clients.claim()))
async function respond(request) {
  const cache = await caches.open('site')
  ${strategy}
}
addEventListener('fetch', event => {
  if (event.request.method === 'GET') event.respondWith(respond(event.request))
})`

/** Opens a page that is controlled by a service worker with this strategy. */
async function openControlledPage(page: Page, { baseUrl, botId }: Platform, strategy: string): Promise<void> {
  const html = `<!doctype html><html lang="en"><title>Cached</title><link rel="icon" href="data:,">
<script src="${baseUrl}/natter.js" data-bot-id="${botId}"></script></html>`
  const server = createServer((request, response) => {
    const isWorker = request.url === '/worker.js'
    response.setHeader('content-type', isWorker ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(isWorker ? worker(strategy) : html)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  page.once('close', () => {
    server.close()
    server.closeAllConnections()
  })
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/worker.js')
    await navigator.serviceWorker.ready
  })
  await page.reload()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
}

/** Everything in Cache Storage. */
const readCaches = (page: Page): Promise<{ url: string; body: string }[]> =>
  page.evaluate(async () => {
    const found: { url: string; body: string }[] = []
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys()) {
        found.push({ url: request.url, body: (await (await cache.match(request))?.text()) ?? '' })
      }
    }
    return found
  })

const login = (page: Page, token: string) =>
  page.evaluate(async token => (await window.Natter.auth.contacts.login({ token })).contact?.name, token)

for (const [what, strategy] of Object.entries(strategies)) {
  test(`a service worker that ${what} never shows another person's chat and caches nothing of it`, async ({
    page,
    platform,
    client,
  }) => {
    const contacts = await Promise.all(
      ['Ada Lovelace', 'Grace Hopper'].map(async name => {
        const { id } = await client.contacts.create({ name, email: `${crypto.randomUUID()}@example.com` })
        const { token } = await client.contactTokens.create({ id })
        await client.conversations.messages.send({ contactId: id }, { text: `Dear ${name}` })
        return { id, name, token }
      }),
    )
    await openControlledPage(page, platform, strategy)
    const chat = new Chat(page)
    await chat.open()
    for (const { id, name, token } of contacts) {
      expect(await login(page, token)).toBe(name)
      await expect(chat.panel).toContainText(`Chatting as ${name}`)
      await expect(chat.transcript).toContainText(`Dear ${name}`)
      await chat.say(`I am ${name}`)
      await client.conversations.messages.send({ contactId: id }, { text: `Live for ${name}` })
      await expect(chat.transcript).toContainText(`Live for ${name}`)
    }
    const grace = contacts[1]
    await expect(chat.panel).not.toContainText('Ada')
    const messages = await client.conversations.messages.list({ contactId: grace?.id ?? '' })
    expect(messages.map(({ text }) => text)).toEqual([
      'Dear Grace Hopper',
      'I am Grace Hopper',
      'Live for Grace Hopper',
    ])
    await page.evaluate(() => window.Natter.auth.contacts.logout())
    await expect(chat.panel).not.toContainText('Grace')
    const cached = await readCaches(page)
    const apiUrls = cached.map(({ url }) => url).filter(url => url.includes('/v1/'))
    expect(apiUrls).toEqual([`${platform.baseUrl}/v1/bots/${platform.botId}/widget`])
    const secrets = contacts.flatMap(({ name, token }) => [name, token])
    expect(cached.filter(({ body }) => secrets.some(secret => body.includes(secret))).map(({ url }) => url)).toEqual([])
  })
}
