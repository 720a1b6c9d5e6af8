import type { Locator, Page } from '@playwright/test'
import { expect, type FakeSite } from './fakeSite.ts'

/** The preview of a message. */
export const cardOf = (page: Page): Locator => page.locator('[part~="preview"]')

/** Ada, whose chat is closed and connected. */
export async function visitAsAda(
  page: Page,
  fakeSite: FakeSite,
  attributes: Record<string, string> = {},
): Promise<ReturnType<FakeSite['contact']>> {
  const ada = fakeSite.contact('Ada Lovelace', 1)
  await page.goto(fakeSite.url(attributes))
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
  await expect.poll(() => [...fakeSite.platform.streams].some(({ token }) => token === ada.token)).toBe(true)
  return ada
}
