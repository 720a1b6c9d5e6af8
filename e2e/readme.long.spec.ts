import { Chat, expect, test } from './fixtures.ts'
import { authState, readmePage, startCompleteSite } from './recipeSite.ts'

test("the README's page signs in and out of the complete site of the SDK's guide", async ({ page, platform }) => {
  const site = await startCompleteSite(platform, readmePage(platform))
  await page.goto(site.url)
  await expect.poll(() => authState(page)).toBe('anonymous')
  await page.getByLabel('Person').selectOption('Grace')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect.poll(() => authState(page)).toBe('identified')
  await page.getByRole('button', { name: 'Ask us' }).click()
  const chat = new Chat(page)
  await expect(chat.panel).toContainText('Chatting as Grace Hopper')
  await page.getByRole('button', { name: 'Sign out' }).press('Enter')
  await expect.poll(() => authState(page)).toBe('anonymous')
  await expect(chat.panel).not.toContainText('Ada')
  await site.close()
})
