import type { Page } from '@playwright/test'
import { test } from './backForwardCache.ts'
import { expect, type FakeSite } from './fakeSite.ts'

declare global {
  interface Window {
    /** What the chat showed when the page was restored, before the widget could react, and in each frame since. */
    shownTexts?: string[]
  }
}

/** Leaves the page, runs `inOtherTab` in another tab and goes back. Resolves when the page is restored from the cache. */
async function leaveAndReturn(
  page: Page,
  fakeSite: FakeSite,
  inOtherTab: (page: Page) => Promise<unknown>,
): Promise<void> {
  await page.evaluate(() => {
    delete window.shownTexts
  })
  await page.goto('about:blank')
  const other = await page.context().newPage()
  await other.goto(fakeSite.url())
  await inOtherTab(other)
  await other.close()
  await page.evaluate(() => void setTimeout(() => history.back()))
  await expect.poll(() => page.evaluate(() => window.shownTexts?.length).catch(() => 0)).toBeGreaterThan(0)
}

test('a page restored from the back/forward cache never shows the previous contact’s chat, then shows the current one', async ({
  page,
  fakeSite,
  chat,
}) => {
  await page.addInitScript(() => {
    const recordFrame = () => {
      const shadow = document.querySelector('[data-natter]')?.shadowRoot
      const typed = shadow?.querySelector('textarea')?.value
      window.shownTexts?.push(`${shadow?.textContent} ${typed}`)
      requestAnimationFrame(recordFrame)
    }
    // Runs before the widget's own listener, to see what the browser may paint first.
    addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return
      window.shownTexts = []
      recordFrame()
    })
  })
  const ada = fakeSite.contact('Ada', 3)
  const grace = fakeSite.contact('Grace', 2)
  const login = (token: string) => (page: Page) =>
    page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  await page.goto(fakeSite.url())
  await login(ada.token)(page)
  await chat.open()
  await expect(chat.transcript).toContainText('Message 3')
  await chat.composer.fill('Half a thought')

  await leaveAndReturn(page, fakeSite, async () => {})
  await expect(chat.panel).toContainText('Chatting as Ada')
  await expect(chat.transcript).toContainText('Message 3')
  await expect(chat.composer).toHaveValue('Half a thought')
  const [first] = (await page.evaluate(() => window.shownTexts)) ?? []
  expect(first).not.toMatch(/Ada|Message|thought/)

  await leaveAndReturn(page, fakeSite, login(grace.token))
  await expect(chat.panel).toContainText('Chatting as Grace')
  await expect(chat.transcript).toContainText('Message 2')
  expect((await page.evaluate(() => window.shownTexts))?.join('\n')).not.toMatch(/Ada|Message 3|thought/)

  await leaveAndReturn(page, fakeSite, other => other.evaluate(() => window.Natter.auth.contacts.logout()))
  await expect(chat.transcript).toContainText('Hello')
  expect((await page.evaluate(() => window.shownTexts))?.join('\n')).not.toMatch(/Ada|Grace|Message|thought/)
})
