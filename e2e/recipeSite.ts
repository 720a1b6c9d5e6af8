import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { listen } from '../demo/listen.ts'
import { readGuide } from '../src/guides.ts'
import { loadRecipe, type SiteSession, sessionsOf, writeRecipes } from '../src/sdk/testing/recipes.ts'
import type { Platform } from './processes.ts'

/** A site made of unmodified files of the guides. */
export interface RecipeSite {
  url: string
  /** The site's own sessions, by the value of its cookie. */
  sessions: Map<string, SiteSession>
  /** The contact tokens that its pages have received. */
  tokens: Set<string>
  close(): Promise<void>
}

/** Serves `html` at `/`, and everything else by a recipe's server, which reads the platform's address from the environment. */
export async function startRecipeSite(platform: Platform, server: string, html: string): Promise<RecipeSite> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-recipes-'))
  writeRecipes(folder)
  const { app } = await withVariables(platform, () => loadRecipe(folder, server))
  const tokens = new Set<string>()
  const { url, close } = await listen(async request => {
    if (new URL(request.url).pathname === '/')
      return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })
    const response: Response = await app.fetch(request)
    if (response.status === 200) tokens.add((await response.clone().json()).data.token)
    return response
  }, 0)
  return {
    url,
    sessions: await sessionsOf(folder),
    tokens,
    async close() {
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts the guide's complete site, with `html` as its page. */
export async function startCompleteSite(platform: Platform, html: string): Promise<Pick<RecipeSite, 'url' | 'close'>> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-recipes-'))
  writeRecipes(folder)
  writeFileSync(join(folder, 'index.html'), html)
  const server: Server = (await withVariables(platform, () => loadRecipe(folder, 'site.ts'))).server
  if (!server.listening) await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function withVariables<Result>(platform: Platform, load: () => Promise<Result>): Promise<Result> {
  const variables = {
    NATTER_BASE_URL: platform.baseUrl,
    NATTER_BOT_ID: platform.botId,
    NATTER_ORGANIZATION_TOKEN: platform.organizationToken,
    SESSION_SECRET: 'of the site',
    PORT: '0',
  }
  Object.assign(process.env, variables)
  try {
    return await load()
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name]
  }
}

/** Creates a session of the site for Ada and sets its cookie in the browser. */
export async function signIn(page: Page, { url, sessions }: RecipeSite): Promise<string> {
  const id = crypto.randomUUID().replaceAll('-', '')
  sessions.set(id, { user: { email: 'ada@acme.example', name: 'Ada Lovelace', emailVerified: true } })
  await page.context().addCookies([{ name: 'session', value: id, url }])
  return id
}

export const authState = (page: Page) => page.evaluate(() => window.Natter.auth.state)

/** The README's page, as it stands there but for the addresses that a reader replaces. */
export const readmePage = ({ baseUrl, botId }: Platform): string =>
  (/^<!doctype html>[\s\S]*?(?=^```)/m.exec(readGuide('README.md'))?.[0] ?? '')
    .replace('https://chat.example', baseUrl)
    .replace('BOT_ID', botId)
