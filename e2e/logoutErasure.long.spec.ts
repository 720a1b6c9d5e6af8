import { expectNothingLeft } from 'natter/testing'
import { expect, test } from './fakeSite.ts'
import { loginAndSend } from './loginAndSend.ts'

test('a logout leaves nothing behind in the memory of a closed chat', async ({ page, fakeSite, chat }) => {
  const ada = await loginAndSend(page, fakeSite, chat)
  await page.evaluate(() => window.Natter.close())
  await expect(chat.panel).toHaveCount(0)
  await page.evaluate(() => window.Natter.auth.contacts.logout())
  await expectNothingLeft(page, { texts: [ada.token.slice(2), 'Cerulean', 'vermilion'] })
})
