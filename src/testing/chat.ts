import type { Locator, Page } from '@playwright/test'

/** The chat of a page: where its parts are, and what a visitor does in it. */
export class Chat {
  readonly page: Page
  /** The button that opens the chat. */
  readonly launcher: Locator
  /** The opened chat. */
  readonly panel: Locator
  /** The text field. */
  readonly composer: Locator
  /** The messages. */
  readonly transcript: Locator

  constructor(page: Page) {
    this.page = page
    this.launcher = page.locator('[part~="launcher"]')
    this.panel = page.locator('[part~="panel"]')
    this.composer = this.panel.getByRole('textbox')
    this.transcript = this.panel.getByRole('log')
  }

  /** Opens the chat by its launcher, and waits until the visitor can write. */
  async open(): Promise<void> {
    await this.launcher.click()
    await this.composer.waitFor()
  }

  /** Writes a message and sends it, without waiting for the platform. */
  async send(text: string): Promise<void> {
    await this.composer.fill(text)
    await this.composer.press('Enter')
  }
}
