import type { Locator, Page } from '@playwright/test'
import { problem } from '../src/widget/testing/fakePlatform.ts'
import { expect, test } from './fakeSite.ts'

/** Clicks twice at the same position, whatever is there at the second click. */
async function doubleClick(page: Page, button: Locator) {
  // Waits until the button does not move any more.
  await button.hover()
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount })
    await page.mouse.up({ clickCount })
    // Wait until the effect of the first click is painted.
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  }
}

test('a double click opens the chat and its menu, and deletes one message', async ({ page, fakeSite, chat }) => {
  await page.goto(fakeSite.url())
  await doubleClick(page, chat.launcher)
  await expect(chat.composer).toBeVisible()
  fakeSite.platform.intercept = (_, path) => (path === '/messages' ? problem(400, 'invalid_body') : undefined)
  for (const text of ['One', 'Two', 'Three']) await chat.send(text)
  await expect(chat.transcript.getByText('Not sent.')).toHaveCount(3)
  await doubleClick(page, chat.panel.getByRole('button', { name: 'Delete' }).first())
  await expect(chat.transcript.getByText('Not sent.')).toHaveCount(2)
  await doubleClick(page, chat.panel.getByRole('button', { name: 'More' }))
  await expect(chat.panel.getByRole('menu')).toBeVisible()

  await test.step("a double click on the site's own launcher opens the chat, also while the widget is being loaded", async () => {
    const held = Promise.withResolvers<void>()
    await page.route('**/displayMode-*', async route => {
      await held.promise
      await route.continue()
    })
    await page.goto(fakeSite.url({ launcher: 'main button' }))
    const launcher = page.getByRole('button', { name: 'Of the page' })
    await doubleClick(page, launcher)
    held.resolve()
    const panel = page.getByRole('dialog')
    await expect(panel).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(panel).toHaveCount(0)
    await doubleClick(page, launcher)
    await expect(panel).toBeVisible()
  })
})
