import type { Browser, BrowserContext, Locator, Page } from '@playwright/test'
import { Chat, expect } from './fixtures.ts'
import { startHostPage } from './hostPage.ts'
import { createBot, type Platform, runCli } from './processes.ts'

/** A bot of an organization of its own: the platform has chats of other tests. */
export interface Team {
  platform: Pick<Platform, 'baseUrl' | 'database'>
  botId: string
  organizationId: string
}

/** Creates a bot with these settings, which allows every page of this machine. */
export function createTeam(platform: Platform, ...settings: string[]): Team {
  const botId = createBot(platform, 'http://127.0.0.1:*')
  if (settings.length > 0) runCli(platform, 'bot', 'update', botId, ...settings)
  const { organizationId } = JSON.parse(runCli(platform, 'bot', 'show', botId, '--json')) as { organizationId: string }
  return { platform, botId, organizationId }
}

/** The link with which a new member joins a team. */
export const invite = ({ platform, organizationId }: Team, email: string, ...options: string[]): string => {
  const place = ['--organization', organizationId, '--base-url', platform.baseUrl]
  return runCli(platform, 'desk', 'invite', email, ...place, ...options)
}

/** Opens the chat of a team's bot on a site of its own. */
export async function openChat(page: Page, { platform, botId }: Team) {
  const site = await startHostPage({ ...platform, botId })
  const chat = new Chat(page)
  await page.goto(site.url)
  await chat.open()
  return { site, chat }
}

/** Page object of the desk of one member, in a browser of its own. */
export class Desk {
  readonly page: Page
  readonly inbox: Locator
  readonly log: Locator
  readonly thread: Locator

  constructor(page: Page) {
    this.page = page
    this.inbox = page.getByRole('region', { name: 'Conversations' })
    this.log = page.getByRole('log')
    this.thread = page.getByRole('main')
  }

  /**
   * Joins a team as a member whose email is made from the name and the team: an email has one member in all of a platform.
   * In a browser that is new, or in another tab of a context.
   */
  static async join(browser: Browser | BrowserContext, team: Team, name: string, ...options: string[]): Promise<Desk> {
    const context = 'newContext' in browser ? await browser.newContext() : browser
    const desk = new Desk(await context.newPage())
    await desk.page.goto(invite(team, `${name.toLowerCase()}.${team.botId}@shop.example`, ...options))
    await desk.page.getByLabel('Your name').fill(name)
    await desk.page.getByLabel('Password').fill('correct horse battery')
    await desk.page.getByRole('button', { name: 'Join' }).click()
    await expect(desk.inbox).toBeVisible()
    return desk
  }

  /** Opens the conversation whose row has this text, whoever answers it. */
  async open(text: string): Promise<void> {
    await this.page.goto(`${new URL(this.page.url()).origin}/desk/all`)
    await this.inbox.getByRole('link', { name: text }).click()
    await expect(this.log).toBeVisible()
  }

  /** Writes into the field of the reply, which has the focus afterwards. */
  async write(text: string): Promise<void> {
    await this.page.getByRole('textbox', { name: 'Write a reply' }).click()
    await this.page.keyboard.type(text)
  }

  async reply(text: string): Promise<void> {
    await this.write(text)
    await this.page.keyboard.press('ControlOrMeta+Enter')
  }

  /** Presses a key that stands for an action, outside of every field. */
  async press(key: string): Promise<void> {
    await this.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    await this.page.keyboard.press(key)
  }

  close(): Promise<void> {
    return this.page.context().close()
  }
}
