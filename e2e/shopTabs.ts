import type { BrowserContext, Page } from '@playwright/test'
import { expect, Shop } from './fixtures.ts'

/** Opens tabs of the shop in which Ada is signed in and the chat is open. */
export async function openTabs(context: BrowserContext, first: Shop, count: number): Promise<Shop[]> {
  const tabs = [first]
  await first.visit()
  await first.signIn('Ada')
  await first.chat.open()
  while (tabs.length < count) {
    const tab = new Shop(await context.newPage(), first.address)
    await tab.visit()
    await expect(tab.state).toContainText('identified as Ada')
    // While the tab is in front. Chromium draws those behind it once a second.
    await tab.chat.open()
    tabs.push(tab)
  }
  return tabs
}

/** The client ids of the tabs that hold a stream. */
export const findStreamingTabs = (page: Page): Promise<(string | undefined)[]> =>
  page.evaluate(async () => {
    const { held = [] } = await navigator.locks.query()
    return held.filter(({ name }) => /^natter:.*:stream:/.test(name ?? '')).map(({ clientId }) => clientId)
  })

export const expectShownByAll = async (tabs: Shop[], text: string): Promise<void> => {
  for (const tab of tabs) await expect(tab.chat.transcript.getByText(text)).toHaveCount(1, { timeout: 15_000 })
}
