import { expect, test } from './fixtures.ts'
import { recordLocales, visit } from './pageWithLanguage.ts'

test('an Arabic page has an Arabic chat, right to left, under the strictest policy', async ({ page, hostPage }) => {
  const requested = recordLocales(page)
  const chat = await visit(page, hostPage, 'lang="ar" dir="rtl"')
  await expect(chat.launcher).toHaveAccessibleName('دردشة')
  expect(requested).toEqual([])
  await chat.open()
  expect(requested).toEqual(['ar'])
  await expect(chat.composer).toHaveAccessibleName('اكتب رسالة')
  await expect(chat.transcript).toHaveCSS('direction', 'rtl')
  await chat.send('هل لديكم توصيل؟ Order 12')
  await expect(chat.panel.getByText('تم الإرسال')).toBeVisible()
  // The inline end of the page is on the left, for the launcher and the panel.
  for (const part of [chat.launcher, chat.panel]) expect((await part.boundingBox())?.x).toBeLessThan(30)
  // The visitor's own messages are at the inline end, which is on the left.
  const own = await chat.transcript.getByText('Order 12').boundingBox()
  const panel = await chat.panel.boundingBox()
  // The corner of an English reply is still on its author's side.
  const answer = chat.transcript.locator('.row.bot.last .bubble').first()
  await expect(answer).toHaveCSS('border-bottom-right-radius', '6px')
  await expect(answer).toHaveCSS('border-bottom-left-radius', '18px')
  expect((own?.x ?? 0) - (panel?.x ?? 0)).toBeLessThan(40)
  expect(await page.evaluate(() => window.violations)).toEqual([])
})
