import { test as base, expect, type Locator, type Page } from '@playwright/test'
import { createClient, type NatterClient } from 'natter/sdk'
import { Chat as BaseChat } from 'natter/testing'
import { type HostPage, startHostPage } from './hostPage.ts'
import { type Platform, runCli, type Site, startPlatform, startSite } from './processes.ts'

export { expect }

/** Page object of the widget, floating over an English page. */
export class Chat extends BaseChat {
  override readonly panel: Locator

  constructor(page: Page) {
    super(page)
    // Opened over a modal dialog of the page, the panel is inside a dialog that the widget adds.
    this.panel = page.getByRole('dialog').and(page.locator('[part~="panel"]'))
  }

  override async open(): Promise<void> {
    await super.open()
    await expect(this.composer).toBeFocused()
  }

  /** Sends a message and waits until the platform has stored it. */
  async say(text: string): Promise<void> {
    await this.send(text)
    await expect(this.transcript.getByText(text)).toBeVisible()
    await expect(this.panel).toContainText('Sent')
    await expect(this.panel).not.toContainText(/Sending|Waiting to send/)
  }

  async endChat(): Promise<void> {
    await this.panel.getByRole('button', { name: 'More' }).click()
    await this.panel.getByRole('menuitem', { name: 'End chat' }).click()
    await this.panel.getByRole('alertdialog').getByRole('button', { name: 'End chat' }).click()
  }

  /** Sends a question and waits for a complete reply that contains `answer`. */
  async ask(text: string, answer: string | RegExp): Promise<void> {
    await this.send(text)
    await expect(this.transcript).toContainText(answer)
    await expect(this.transcript).toHaveAttribute('aria-busy', 'false')
  }
}

/** Page object of the demo shop. */
export class Shop {
  readonly chat: Chat
  readonly page: Page
  readonly address: string

  constructor(page: Page, url: string) {
    this.page = page
    this.address = url
    this.chat = new Chat(page)
  }

  async visit(): Promise<void> {
    await this.page.goto(this.address)
    await expect(this.chat.launcher).toBeVisible()
  }

  async signIn(name: 'Ada' | 'Grace'): Promise<void> {
    await this.page
      .getByRole('button', { name: new RegExp(`sign in as ${name}`, 'i') })
      .first()
      .click()
    await expect(this.state).toContainText(`identified as ${name}`)
  }

  async signOut(): Promise<void> {
    await this.page
      .getByRole('button', { name: /sign out/i })
      .first()
      .click()
    await expect(this.state).toContainText('anonymous')
  }

  /** The line of the control panel that shows the widget's session state. */
  get state(): Locator {
    return this.page.getByTestId('session-state')
  }
}

interface WorkerFixtures {
  platform: Platform
  site: Site
  hostPage: HostPage
  /** Another platform, whose bot takes files and never answers, and its page. */
  filesPlatform: Platform
  filesHostPage: HostPage
}
interface Fixtures {
  shop: Shop
  client: NatterClient
  /** Opens the shop in a new browser context with its own cookies and storage. */
  otherBrowser: () => Promise<Shop>
}

/**
 * Worker fixtures belong here, where they are started only for the tests that use them. A file with one of its own, or
 * with another value of such an option, gets other workers, each with a browser and a platform to start.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  platform: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern.
    async ({}, use) => {
      const platform = await startPlatform()
      await use(platform)
      await platform.stop()
    },
    { scope: 'worker' },
  ],
  site: [
    async ({ platform }, use) => {
      const site = await startSite(platform)
      await use(site)
      await site.stop()
    },
    { scope: 'worker' },
  ],
  hostPage: [
    async ({ platform }, use) => {
      const hostPage = await startHostPage(platform)
      await use(hostPage)
      await hostPage.stop()
    },
    { scope: 'worker' },
  ],
  filesPlatform: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern.
    async ({}, use) => {
      const platform = await startPlatform()
      runCli(
        platform,
        'bot',
        'update',
        platform.botId,
        ...'--attachments yes --erase-by-visitor yes --responder none'.split(' '),
      )
      await use(platform)
      await platform.stop()
    },
    { scope: 'worker' },
  ],
  filesHostPage: [
    async ({ filesPlatform }, use) => {
      const hostPage = await startHostPage(filesPlatform)
      await use(hostPage)
      await hostPage.stop()
    },
    { scope: 'worker' },
  ],
  client: async ({ platform: { baseUrl, botId, organizationToken } }, use) => {
    await use(createClient({ baseUrl, botId, organizationToken }))
  },
  shop: async ({ page, site }, use) => {
    await use(new Shop(page, site.url))
  },
  otherBrowser: async ({ browser, site }, use) => {
    const contexts: { close(): Promise<void> }[] = []
    await use(async () => {
      const context = await browser.newContext()
      contexts.push(context)
      return new Shop(await context.newPage(), site.url)
    })
    for (const context of contexts) await context.close()
  },
})
