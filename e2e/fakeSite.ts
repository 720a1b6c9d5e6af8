import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { Page } from '@playwright/test'
import type { Message } from '../src/contract/index.ts'
import { startLocalServer } from '../src/testServer.ts'
import { createFakePlatform, type FakePlatform, tokenHex } from '../src/widget/testing/fakePlatform.ts'
import { test as base, Chat, expect } from './fixtures.ts'
import { root } from './processes.ts'

export { Chat, expect }

/**
 * A page with the widget and an in-memory platform that a test controls, on one origin with a strict Content Security
 * Policy.
 */
export interface FakeSite {
  platform: FakePlatform
  /** URL of the page. `lang` and `dir` become attributes of the document, all others `data-` attributes of the script. */
  url(attributes?: Record<string, string>): string
  /** The visitor whose session was created last. */
  visitor(): { token: string; messages: Message[] }
  /** Adds a contact whose conversation has that many messages. */
  contact(name: string, messages: number): { token: string; messages: Message[] }
  /** The site's `/chat-token` endpoint, which works like the SDK's `tokenHandler`. */
  signIn: SignIn
}

export interface SignIn {
  /** The token of the person who is signed in at the site. */
  token: string | null
  /** The bodies of the requests, in order. */
  questions: { contact: string | null; token: string }[]
  /** Replaces the endpoint's response. */
  respond?: ((response: ServerResponse) => void) | undefined
}

/** Makes every access to the browser's storage throw, from the next page load on. */
export const blockStorage = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('Access is denied', 'SecurityError')
        },
      })
    }
  })

/**
 * Opens the site with this HTML instead of its own page, without a Content Security Policy, which could hide mistakes of
 * the widget. Returns the uncaught errors of the page, which are collected from then on.
 */
export async function openWithHtml(
  page: Page,
  fakeSite: FakeSite,
  { head = '', body }: { head?: string; body: string },
): Promise<string[]> {
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  const html = `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`
  await page.route(fakeSite.url(), route => route.fulfill({ contentType: 'text/html', body: html }))
  await page.goto(fakeSite.url())
  return errors
}

const policy = `default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'none'; img-src 'self'; \
require-trusted-types-for 'script'; trusted-types 'none'`

const page = ({ lang = 'en', dir = 'ltr', ...attributes }: Record<string, string>) => `<!doctype html>
<html lang="${lang}" dir="${dir}"><head><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width"></head><body><main><h1>Shop</h1><button>Of the page</button></main>
<script src="/natter.js" data-bot-id="bot" ${Object.entries(attributes)
  .map(([name, value]) => `data-${name}="${value}"`)
  .join(' ')}></script></body></html>`

/** The bot's avatar: a single red pixel, scaled. */
const avatar = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path fill="#c2255c" d="M0 0h1v1H0z"/></svg>'

async function answerTokenUrl(
  platform: FakePlatform,
  signIn: SignIn,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const question = (await json(request)) as SignIn['questions'][number]
  signIn.questions.push(question)
  if (signIn.respond) return signIn.respond(response)
  const { token } = signIn
  if (!token) return response.writeHead(401).end()
  const isSame = platform.sessions.get(token)?.contact?.id === question.contact
  if (isSame && question.token === 'valid') return response.writeHead(204).end()
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: { token } }))
}

async function respond(
  platform: FakePlatform,
  signIn: SignIn,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '', 'http://localhost')
  // When the widget retries a chunk, it spells the URL differently (percent-encoded).
  const pathname = decodeURIComponent(url.pathname)
  if (pathname === '/') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    response.end(page(Object.fromEntries(url.searchParams)))
  } else if (pathname === '/chat-token') {
    await answerTokenUrl(platform, signIn, request, response)
  } else if (pathname === '/avatar.svg') {
    response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(avatar)
  } else if (pathname.startsWith('/natter')) {
    const file = readFileSync(join(root, 'dist', pathname))
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(file)
  } else {
    await forward(platform, request, response)
  }
}

async function forward(platform: FakePlatform, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const disconnect = new AbortController()
  response.on('close', () => disconnect.abort())
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { status, headers, body, text } = await platform
    .fetch(request.url ?? '', {
      method: request.method ?? 'GET',
      headers: request.headers as Record<string, string>,
      ...(chunks[0] && { body: toBody(request.method ?? '', Buffer.concat(chunks)) }),
      signal: disconnect.signal,
    })
    .then(async found => Object.assign(found, { text: await found.text() }))
  response.writeHead(status, { 'content-type': 'application/json', ...Object.fromEntries(headers) })
  if (!body) return void response.end(text)
  const reader = body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) response.write(next.value)
  response.end()
}

/** Only files are sent by `PUT`. */
const toBody = (method: string, bytes: Buffer) =>
  method === 'PUT' ? new Blob([new Uint8Array(bytes)]) : bytes.toString()

export async function startFakeSite(): Promise<FakeSite & { stop(): Promise<void> }> {
  const platform = createFakePlatform()
  const signIn: SignIn = { token: null, questions: [] }
  const server = await startLocalServer((request, response) => respond(platform, signIn, request, response))
  let contacts = 0
  return {
    platform,
    signIn,
    url: (attributes = {}) => `${server.url}/?${new URLSearchParams(attributes)}`,
    visitor() {
      const [token, session] = [...platform.sessions].at(-1) ?? []
      return { token: token ?? '', messages: session?.messages ?? [] }
    },
    contact(name, count) {
      const token = `c:${tokenHex(++contacts)}`
      platform.addContact(token, { id: `contact-${contacts}`, name })
      const messages = platform.sessions.get(token)?.messages ?? []
      for (let seq = 1; seq <= count; seq++) {
        const createdAt = new Date(Date.now() - (count - seq) * 90_000).toISOString()
        const author = seq % 3 ? 'bot' : 'visitor'
        platform.say(messages, { text: `Message ${seq}. ${'Words '.repeat(seq % 17)}`, author, createdAt })
      }
      return { token, messages }
    },
    stop: server.close,
  }
}

export const test = base.extend<{ fakeSite: FakeSite; chat: Chat }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern.
  fakeSite: async ({}, use) => {
    const { stop, ...fakeSite } = await startFakeSite()
    await use(fakeSite)
    await stop()
  },
  chat: async ({ page }, use) => {
    await use(new Chat(page))
  },
})
