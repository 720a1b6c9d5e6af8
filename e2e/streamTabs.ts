import type { BrowserContext, Page } from '@playwright/test'
import { Chat, expect } from './fixtures.ts'
import type { HostPage } from './hostPage.ts'

/** A tab with the chat of the visitor that all tabs share. */
export interface StreamTab {
  page: Page
  chat: Chat
}

/** Opens tabs in which the chat of one visitor is open, the first in `page`. */
export async function openTabs(
  context: BrowserContext,
  page: Page,
  { url }: HostPage,
  count: number,
): Promise<StreamTab[]> {
  const tabs: StreamTab[] = []
  while (tabs.length < count) {
    const tab = tabs.length === 0 ? page : await context.newPage()
    const chat = new Chat(tab)
    await tab.goto(url)
    // While the tab is in front. Chromium draws those behind it once a second.
    await chat.open()
    if (tabs.length === 0) await chat.say('Hello from the first tab')
    await expect(chat.transcript).toContainText('Hello from the first tab')
    tabs.push({ page: tab, chat })
  }
  return tabs
}

/** The client ids of the tabs that hold a stream. */
export const findStreamingTabs = (page: Page): Promise<(string | undefined)[]> =>
  page.evaluate(async () => {
    const { held = [] } = await navigator.locks.query()
    return held.filter(({ name }) => /^natter:.*:stream:/.test(name ?? '')).map(({ clientId }) => clientId)
  })

export const expectShownByAll = async (tabs: StreamTab[], text: string): Promise<void> => {
  for (const { chat } of tabs) await expect(chat.transcript.getByText(text)).toHaveCount(1, { timeout: 15_000 })
}
