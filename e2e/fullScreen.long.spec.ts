import { expect, test } from './fakeSite.ts'

test.use({ viewport: { width: 390, height: 700 } })

test('a page that shows another body stays inert behind a chat that covers the screen, and works when the chat is closed', async ({
  page,
  fakeSite,
  chat,
}) => {
  await page.goto(fakeSite.url())
  await chat.open()
  await expect(chat.panel).toHaveAttribute('aria-modal', 'true')
  const button = page.locator('main button')
  const isInert = () => button.evaluate(element => element.closest('[inert]') !== null)
  await expect.poll(isInert).toBe(true)
  // Like Turbo, which keeps a copy of the page and shows it again when the visitor goes back.
  await page.evaluate(() => {
    const { body } = document
    const kept = body.cloneNode(true) as HTMLElement
    const other = document.createElement('body')
    const main = other.appendChild(document.createElement('main'))
    main.appendChild(document.createElement('button')).textContent = 'Of another page'
    body.replaceWith(other)
    Object.assign(window, { goBack: () => other.replaceWith(kept) })
  })
  await expect(page.getByText('Of another page')).toBeAttached()
  await expect.poll(isInert).toBe(true)
  await chat.panel.getByRole('button', { name: 'Close chat' }).click()
  await button.click()
  await page.evaluate(() => (window as never as { goBack(): void }).goBack())
  await page.locator('main button', { hasText: 'Of the page' }).click()
  await expect(chat.launcher).toBeVisible()
})
