import type { Page } from '@playwright/test'
import { type Chat, expect, type FakeSite } from './fakeSite.ts'

/** Logs a contact in, who sends a message in the open panel. */
export async function loginAndSend(
  page: Page,
  fakeSite: FakeSite,
  chat: Chat,
): Promise<ReturnType<FakeSite['contact']>> {
  const ada = fakeSite.contact('Ada Cerulean', 3)
  await page.goto(fakeSite.url())
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
  await chat.open()
  await expect(chat.panel).toContainText('Chatting as')
  await chat.send('Dyed in vermilion')
  await expect(chat.transcript).toContainText('Sent')
  return ada
}
