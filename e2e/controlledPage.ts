import type { Page } from '@playwright/test'
import { startLocalServer } from '../src/testServer.ts'
import type { Platform } from './processes.ts'

/** Common caching strategies of service workers, which also handle GET requests to other origins. */
export const strategies: Record<string, string> = {
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
export async function openControlledPage(page: Page, { baseUrl, botId }: Platform, strategy: string): Promise<void> {
  const html = `<!doctype html><html lang="en"><title>Cached</title><link rel="icon" href="data:,">
<script src="${baseUrl}/natter.js" data-bot-id="${botId}"></script></html>`
  const server = await startLocalServer((request, response) => {
    const isWorker = request.url === '/worker.js'
    response.setHeader('content-type', isWorker ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(isWorker ? worker(strategy) : html)
  })
  page.once('close', () => server.close())
  await page.goto(server.url)
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/worker.js')
    await navigator.serviceWorker.ready
  })
  await page.reload()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
}

/** Everything in Cache Storage. */
export const readCaches = (page: Page): Promise<{ url: string; body: string }[]> =>
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
