import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { listen } from '../demo/listen.ts'
import { readGuide } from '../src/guides.ts'
import { loadReadmeSite, type ReadmeSite } from '../src/sdk/testing/readme.ts'
import { test as base, Chat, expect } from './fixtures.ts'
import { readPageData } from './pageData.ts'
import type { Platform } from './processes.ts'

interface Site {
  url: string
  sessions: ReadmeSite['sessions']
  /** The contact tokens that its pages have received. */
  tokens: Set<string>
}

/** The README's scripts for a page: the snippet that queues early calls, and the one that identifies the user. */
function pageScripts(): string[] {
  const scriptsOf = (guide: string) =>
    [...readGuide(guide).matchAll(/^<script>\n[\s\S]*?^<\/script>/gm)].map(([script]) => script)
  return [scriptsOf('README.md')[0] ?? '', scriptsOf('src/widget/README.md')[0] ?? '']
}

/** Loads the README's server, which reads the platform's address from the environment. */
async function loadServer(folder: string, { baseUrl, botId, organizationToken }: Platform): Promise<ReadmeSite> {
  const variables = {
    NATTER_BASE_URL: baseUrl,
    NATTER_BOT_ID: botId,
    NATTER_ORGANIZATION_TOKEN: organizationToken,
  }
  Object.assign(process.env, variables)
  try {
    return await loadReadmeSite(folder)
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name]
  }
}

/** A site with unmodified copies of the README's files and scripts. */
const test = base.extend<object, { readmeSite: Site }>({
  readmeSite: [
    async ({ platform }, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'natter-readme-'))
      const { fetch, sessions } = await loadServer(folder, platform)
      const tag = `<script src="${platform.baseUrl}/natter.js" data-bot-id="${platform.botId}" async
        data-refresh-token="chatToken"></script>`
      const [snippet = '', identify = ''] = pageScripts()
      const html = `<!doctype html><html lang="en"><link rel="icon" href="data:,">${snippet}${tag}${identify}</html>`
      const tokens = new Set<string>()
      const server = await listen(async request => {
        if (new URL(request.url).pathname === '/') {
          return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })
        }
        const response = await fetch(request)
        if (response.status === 200) tokens.add((await response.clone().json()).data.token)
        return response
      }, 0)
      await use({ url: server.url, sessions, tokens })
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
})

const authState = (page: Page) => page.evaluate(() => window.Natter.auth.state)

/** Creates a session of the site for Ada and sets its cookie in the browser. */
async function signIn(page: Page, { url, sessions }: Site): Promise<string> {
  const id = crypto.randomUUID().replaceAll('-', '')
  sessions.set(id, { user: { email: 'ada@acme.example', name: 'Ada Lovelace' } })
  await page.context().addCookies([{ name: 'session', value: id, url }])
  return id
}

test("the README's page uses one contact token, however often it is loaded, in two tabs", async ({
  page,
  context,
  readmeSite,
}) => {
  readmeSite.tokens.clear()
  await signIn(page, readmeSite)
  const second = await context.newPage()
  for (let load = 0; load < 3; load++) {
    for (const each of [page, second]) {
      await each.goto(readmeSite.url)
      await expect.poll(() => authState(each)).toBe('identified')
    }
  }
  expect(readmeSite.tokens.size).toBe(1)
})

test("the README's page logs the chat out when the site's session has ended, and shows nothing of the conversation", async ({
  page,
  readmeSite,
}) => {
  const secret = `My parcel was opened ${crypto.randomUUID().slice(0, 8)}`
  const chat = new Chat(page)
  const session = await signIn(page, readmeSite)
  await page.goto(readmeSite.url)
  await chat.open()
  await expect(chat.panel).toContainText('Chatting as Ada Lovelace')
  await chat.say(secret)

  readmeSite.sessions.delete(session)
  const refused = page.waitForResponse(response => response.status() === 401)
  await page.reload()
  await refused
  await expect.poll(() => authState(page)).toBe('anonymous')
  await chat.open()
  await expect(chat.transcript).toContainText('What can I do for you?')
  await expect.poll(() => readPageData(page)).not.toContain(secret)
  expect(await readPageData(page)).not.toMatch(/Lovelace|c:[0-9a-f]{64}/)
})

test("the README's page does not disturb an anonymous chat", async ({ page, readmeSite }) => {
  const question = `Do you ship to Norway? ${crypto.randomUUID().slice(0, 8)}`
  const chat = new Chat(page)
  await page.goto(readmeSite.url)
  await chat.open()
  await chat.say(question)
  const refused = page.waitForResponse(response => response.url().endsWith('/chat-token'))
  await page.reload()
  expect((await refused).status()).toBe(401)
  await chat.open()
  await expect(chat.transcript).toContainText(question)
})

test("the README's page replaces a token that the platform has revoked", async ({ page, readmeSite, client }) => {
  readmeSite.tokens.clear()
  await signIn(page, readmeSite)
  await page.goto(readmeSite.url)
  await expect.poll(() => authState(page)).toBe('identified')
  const [token = ''] = readmeSite.tokens
  await client.contactTokens.revoke(token)
  await expect.poll(() => authState(page)).toBe('anonymous')
  await page.reload()
  await expect.poll(() => authState(page)).toBe('identified')
  expect(readmeSite.tokens.size).toBe(2)
})

test("the README's page signs out of the chat and of the site", async ({ page, readmeSite }) => {
  const session = await signIn(page, readmeSite)
  await page.goto(readmeSite.url)
  await expect.poll(() => authState(page)).toBe('identified')
  const [, signOut = ''] =
    /Sign out of the chat first[^`]*```js\n([^`]*)```/.exec(readGuide('src/widget/README.md')) ?? []
  expect(signOut).toContain('logout')
  await page.evaluate(code => Function(`return (async () => { ${code} })()`)(), signOut)
  expect(await authState(page)).toBe('anonymous')
  expect(readmeSite.sessions.get(session)).toMatchObject({ chat: null })
})
