import type { Page } from '@playwright/test'
import { expect, type FakeSite, test } from './fakeSite.ts'

declare global {
  interface Window {
    /** What the chat showed when the page came back, before anything could happen, and in each frame since. */
    seen?: string[]
  }
}

test.use({
  // Playwright turns it off, as it can't wait for such a return itself.
  launchOptions: async ({ launchOptions }, use) =>
    use({ ...launchOptions, ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
})

/** Goes elsewhere and back; meanwhile, `otherTab` is open. Resolves once the page is there again, out of the cache. */
async function leaveAndReturn(
  page: Page,
  fakeSite: FakeSite,
  otherTab: (page: Page) => Promise<unknown>,
): Promise<void> {
  await page.evaluate(() => {
    delete window.seen
  })
  await page.goto('about:blank')
  const other = await page.context().newPage()
  await other.goto(fakeSite.url())
  await otherTab(other)
  await other.close()
  await page.evaluate(() => void setTimeout(() => history.back()))
  await expect.poll(() => page.evaluate(() => window.seen?.length).catch(() => 0)).toBeGreaterThan(0)
}

test('a page out of the back/forward cache shows in no frame whose chat it was, and then the one who is there', async ({
  page,
  fakeSite,
  chat,
}) => {
  await page.addInitScript(() => {
    const note = () => {
      const shadow = document.querySelector('[data-natter]')?.shadowRoot
      const typed = shadow?.querySelector('textarea')?.value
      window.seen?.push(`${shadow?.textContent} ${typed}`)
      requestAnimationFrame(note)
    }
    // Before the widget's own listener: what the browser may paint without asking anybody.
    addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return
      window.seen = []
      note()
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
  const [first] = (await page.evaluate(() => window.seen)) ?? []
  expect(first).not.toMatch(/Ada|Message|thought/)

  await leaveAndReturn(page, fakeSite, login(grace.token))
  await expect(chat.panel).toContainText('Chatting as Grace')
  await expect(chat.transcript).toContainText('Message 2')
  expect((await page.evaluate(() => window.seen))?.join('\n')).not.toMatch(/Ada|Message 3|thought/)

  await leaveAndReturn(page, fakeSite, other => other.evaluate(() => window.Natter.auth.contacts.logout()))
  await expect(chat.transcript).toContainText('Hello')
  expect((await page.evaluate(() => window.seen))?.join('\n')).not.toMatch(/Ada|Grace|Message|thought/)
})
