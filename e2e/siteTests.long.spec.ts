import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import { codeFile, readGuide } from '../src/guides.ts'
import { findChromium } from './chromium.ts'
import { type InstalledPackage, installPackage } from './installedPackage.ts'
import { root } from './processes.ts'

const guide = 'src/testing/README.md'

/** The shop of the guide's test: the README's page and its server, which signs everybody in as Ada. */
const shop = (html: string) => `
import { serve } from '@hono/node-server'
import type { TestPlatform } from 'natter/testing'
import { sessions } from './session.ts'

const html = ${JSON.stringify(html)}

export async function startShop({ baseUrl, botId, organizationToken }: TestPlatform): Promise<{ url: string; close(): Promise<void> }> {
  Object.assign(process.env, { NATTER_BASE_URL: baseUrl, NATTER_BOT_ID: botId, NATTER_ORGANIZATION_TOKEN: organizationToken })
  const { app } = await import('./server.ts')
  app.get('/', c => c.html(html.replace('https://chat.example', baseUrl).replace('BOT_ID', botId)))
  app.post('/sign-in', c => {
    sessions.set('1', { email: 'ada@example.com', name: 'Ada Lovelace', emailVerified: true })
    return c.body(null, 204, { 'set-cookie': 'session=1; HttpOnly' })
  })
  app.post('/sign-out', c => {
    sessions.clear()
    return c.body(null, 204)
  })
  return new Promise(resolve => {
    const server = serve({ fetch: app.fetch, port: 0 }, ({ port }) => {
      resolve({ url: \`http://localhost:\${port}/\`, close: async () => void server.close() })
    })
  })
}
`

const session = `
export interface User { email: string; name: string; emailVerified: boolean }
export const sessions = new Map<string, User>()
export const currentUser = ({ headers }: Request): User | undefined =>
  sessions.get(/session=(\\w+)/.exec(headers.get('cookie') ?? '')?.[1] ?? '')
`

const config = `
export default {
  testMatch: 'chat.spec.ts',
  reporter: 'line',
  workers: 1,
  use: { browserName: 'chromium', launchOptions: ${JSON.stringify({
    executablePath: findChromium(),
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-gpu'],
  })} },
}
`

/** A use of the entry whose types are right, but for what is marked. */
const types = `
import { expect, test as base } from '@playwright/test'
import { Chat, expectNothingLeft, fixtures, searchPage, startTestPlatform } from 'natter/testing'

const test = base.extend(fixtures).extend<{ greeting: string }>({ greeting: 'Hello' })
test.use({ natterOptions: { answer: async text => text.toUpperCase() } })
// @ts-expect-error an answer is a text or null
test.use({ natterOptions: { answer: () => 1 } })
test('types', async ({ page, natter, chat, greeting }) => {
  const address: string = natter.baseUrl + greeting.length
  const contactName: string = (await natter.client.contacts.retrieve(address)).name
  await expect(chat.transcript).toContainText(contactName)
  await new Chat(page).open()
  // @ts-expect-error there is no such fixture
  natter.chat
  // @ts-expect-error the texts are required
  await expectNothingLeft(page, {})
  const places: string[] = (await searchPage(page, { texts: ['Ada', /Love/] })).map(finding => finding.place)
  return places.length > 0 ? (await startTestPlatform({ greeting })).close() : undefined
})
`

const readmePage = /^<!doctype html>[\s\S]*?(?=^```)/m.exec(readGuide('README.md'))?.[0] ?? ''

let installed: InstalledPackage
test.describe.configure({ mode: 'default', timeout: 240_000 })
test.beforeAll(async () => {
  installed = await installPackage()
  for (const name of ['@playwright/test', '@hono/node-server', 'hono', '@types/node']) installed.linkDependency(name)
  for (const name of ['chat.spec.ts', 'platform.test.ts']) installed.write(name, codeFile(guide, name))
  for (const name of ['server.ts', 'chatToken.ts']) installed.write(name, codeFile('README.md', name))
  installed.write('session.ts', session)
  installed.write('playwright.config.ts', config)
})
test.afterAll(() => installed.remove())

/** Runs a program in the site's folder; resolves to its exit code and what it has printed. */
async function runInSite(program: string, ...args: string[]): Promise<{ code: number; output: string }> {
  // The variables of the test that runs this would confuse the one that it starts.
  const variables = Object.entries(process.env).filter(([name]) => !/^(TEST_|PW_|PLAYWRIGHT_|NODE_OPTIONS)/.test(name))
  const options = { cwd: installed.folder, env: Object.fromEntries(variables) }
  const run = promisify(execFile)(process.execPath, [join(root, 'node_modules', program), ...args], options)
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    error => ({ code: error.code, output: error.stdout + error.stderr }),
  )
}

test("the guide's test passes in a site that has installed Natter", async () => {
  installed.write('shop.ts', shop(readmePage))
  const { code, output } = await runInSite('@playwright/test/cli.js', 'test')
  expect(code, output).toBe(0)
  expect(output).toContain('1 passed')
})

test("the guide's test fails, and says where, if the site itself keeps the customer's name", async () => {
  const keepsName =
    "Natter.on('auth', ({ contact }) => { if (contact) localStorage.setItem('customer', contact.name) })"
  installed.write('shop.ts', shop(`${readmePage}<script>${keepsName}</script>`))
  const { code, output } = await runInSite('@playwright/test/cli.js', 'test')
  expect(code).toBe(1)
  expect(output).toContain('localStorage › customer: "Lovelace" in "Ada Lovelace"')
})

test("the guide's test without Playwright passes", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', 'platform.test.ts'], {
    cwd: installed.folder,
  })
  expect(stdout).toMatch(/pass 1/)
})

test('the types of the fixtures are those of Playwright', async () => {
  installed.write('types.ts', types)
  installed.write('shop.ts', shop(readmePage))
  const compilerOptions = {
    ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true, allowImportingTsExtensions: true },
    ...{ module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom'], types: ['node'], skipLibCheck: true },
  }
  installed.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['types.ts', 'chat.spec.ts'] }))
  const { code, output } = await runInSite('typescript/bin/tsc', '-p', 'tsconfig.json')
  expect(code, output).toBe(0)
})
