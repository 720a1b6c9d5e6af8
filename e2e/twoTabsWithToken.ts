import type { BrowserContext, Page } from '@playwright/test'
import { Chat, expect, type FakeSite } from './fakeSite.ts'

declare global {
  interface Window {
    /** How often the messages were missing from the chat. */
    blanked: number
    /** The reasons of the `auth` events. */
    reasons: string[]
  }
}

/** Adds the site's function for fresh tokens. Returns the expired tokens it was called with, and how to resolve it. */
export async function exposeFreshToken(
  context: BrowserContext,
): Promise<{ expiredTokens: string[]; resolve(token: string | null): void }> {
  const expiredTokens: string[] = []
  const { promise, resolve } = Promise.withResolvers<string | null>()
  await context.exposeFunction('freshToken', (expired: string) => {
    expiredTokens.push(expired)
    return promise
  })
  return { expiredTokens, resolve }
}

/** Opens two tabs in which Ada is signed in. */
export async function openTwoTabs(
  page: Page,
  fakeSite: FakeSite,
): Promise<{ ada: ReturnType<FakeSite['contact']>; tabs: readonly [Page, Page]; chats: [Chat, Chat] }> {
  const ada = fakeSite.contact('Ada', 3)
  const tabs = [page, await page.context().newPage()] as const
  for (const tab of tabs) {
    await tab.goto(fakeSite.url({ 'refresh-token': 'freshToken' }))
    await tab.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
    await new Chat(tab).open()
    await expect(new Chat(tab).transcript).toContainText('Message 3')
    await tab.evaluate(() => {
      window.reasons = []
      window.Natter.on('auth', ({ reason }) => window.reasons.push(reason))
      window.blanked = 0
      const root = document.querySelector('[data-natter]')?.shadowRoot as ShadowRoot
      const watch = () => {
        if (!root.textContent?.includes('Message 3')) window.blanked++
      }
      new MutationObserver(watch).observe(root, { subtree: true, childList: true, characterData: true })
    })
  }
  return { ada, tabs, chats: tabs.map(tab => new Chat(tab)) as [Chat, Chat] }
}

/** The token of a contact. */
export const token = (digit: string): string => `c:${digit.repeat(64)}`
