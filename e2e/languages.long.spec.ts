import { expect, test } from './fixtures.ts'
import { recordLocales, visit } from './pageWithLanguage.ts'

test('an Arabic chat in a left-to-right page stays in the page’s corner', async ({ page, hostPage }) => {
  const chat = await visit(page, hostPage, 'lang="en"', 'data-locale="ar-EG"')
  await chat.open()
  await expect(chat.transcript).toHaveCSS('direction', 'rtl')
  const { width } = page.viewportSize() ?? { width: 0 }
  for (const part of [chat.launcher, chat.panel]) {
    const box = await part.boundingBox()
    expect(width - (box?.x ?? 0) - (box?.width ?? 0)).toBeLessThan(30)
  }
})

test('a German page has a German chat, which changes its language while it is open', async ({ page, hostPage }) => {
  const requested = recordLocales(page)
  const chat = await visit(page, hostPage, 'lang="de-AT"')
  await chat.open()
  await expect(chat.panel.locator('> [lang]')).toHaveAttribute('lang', 'de-AT')
  await expect(chat.composer).toHaveAccessibleName('Nachricht schreiben')
  await chat.send('Guten Tag')
  await expect(chat.panel).toContainText('Gesendet')
  // At midnight the message may already be from yesterday.
  await expect(chat.panel).toContainText(/Heute|Gestern/)
  await chat.composer.fill('Noch etwas')

  for (const [tag, label] of [
    ['fr-CA', 'Écrire un message'],
    ['he', 'כתיבת הודעה'],
    ['en', 'Write a message'],
    // There is no such translation, so English stays.
    ['sw', 'Write a message'],
    ['zh-TW', '輸入訊息'],
  ] as const) {
    await page.evaluate(tag => window.Natter.setLocale(tag), tag)
    await expect(chat.composer).toHaveAccessibleName(label)
    await expect(chat.composer).toBeFocused()
    await expect(chat.composer).toHaveValue('Noch etwas')
    await expect(chat.transcript.getByText('Guten Tag', { exact: true })).toHaveCount(1)
  }
  expect(requested).toEqual(['de', 'fr', 'he', 'zh-Hant'])
  expect(await page.evaluate(() => window.violations)).toEqual([])

  await test.step('a translation that fails to load leaves English and is retried', async () => {
    const file = /\/tr-[\w-]{8}\.js/
    await page.route(file, route => route.abort())
    const chat = await visit(page, hostPage, 'lang="tr"')
    await chat.open()
    await expect(chat.composer).toHaveAccessibleName('Write a message')
    await page.unroute(file)
    await chat.composer.press('Escape')
    await chat.open()
    await expect(chat.composer).toHaveAccessibleName('Mesaj yazın')
  })
})

test('Korean breaks between words, and only a word that is longer than a line within; a page without a language has the browser’s', async ({
  page,
  hostPage,
  browser,
}) => {
  const chat = await visit(page, hostPage, 'lang="ko"')
  await chat.open()
  // Words of many lengths: without the rule, some of them would break in any font.
  const words = Array.from({ length: 40 }, (_, index) => '주문하신상품'.repeat(3).slice(0, 3 + (index % 9)))
  await chat.send(words.join(' '))
  await chat.send('가'.repeat(100))
  const bubbles = chat.transcript.locator('.visitor .bubble')
  await expect(bubbles).toHaveCount(2)
  const linesOf = (index: number) =>
    bubbles.nth(index).evaluate(bubble => {
      const walker = document.createTreeWalker(bubble, NodeFilter.SHOW_TEXT)
      const lines: { word: string; lines: number }[] = []
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (const { 0: word, index } of node.nodeValue?.matchAll(/\S+/g) ?? []) {
          const range = document.createRange()
          range.setStart(node, index)
          range.setEnd(node, index + word.length)
          lines.push({ word, lines: new Set([...range.getClientRects()].map(({ top }) => top)).size })
        }
      }
      return lines
    })
  expect(await linesOf(0)).toEqual(words.map(word => ({ word, lines: 1 })))
  expect((await bubbles.first().boundingBox())?.height).toBeGreaterThan(100)
  expect((await linesOf(1))[0]?.lines).toBeGreaterThan(1)
  // What the bot writes follows the rules of its own language.
  await expect(chat.transcript.locator('.bot .bubble[lang="en"]').first()).toHaveCSS('word-break', 'normal')
  await expect(chat.composer).toHaveCSS('word-break', 'keep-all')

  await test.step('in a page without a language, the chat uses the browser’s language', async () => {
    const context = await browser.newContext({ locale: 'pt-BR' })
    const chat = await visit(await context.newPage(), hostPage, '')
    await chat.open()
    await expect(chat.composer).toHaveAccessibleName('Escreva uma mensagem')
    await context.close()
  })
})
