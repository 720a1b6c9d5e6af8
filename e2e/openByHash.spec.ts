import { expect, openWithHtml, test } from './fakeSite.ts'

const script = '<script src="/natter.js" data-bot-id="bot"></script>'

test('the address #natter, and links to it, open the chat', async ({ page, fakeSite, chat }) => {
  await test.step('an inline chat is brought into view, with the focus, also while the page loads', async () => {
    const far = '<a href="#natter">Ask us</a><div style="height: 3000px"></div>'
    const inline = script.replace('></', ' data-mode="inline" data-target="#chat"></')
    await openWithHtml(page, fakeSite, { body: `${far}<div id="chat" style="height: 400px"></div>${inline}` })
    const panel = page.getByRole('region', { name: 'Acme' })
    await expect(panel.getByRole('textbox')).toBeVisible()
    await expect(panel).not.toBeInViewport()
    await page.getByRole('link', { name: 'Ask us' }).click()
    await expect(panel.getByRole('textbox')).toBeFocused()
    await expect(panel).toBeInViewport({ ratio: 1 })
    await page.evaluate(() => scrollTo(0, 0))
    await page.reload()
    await expect(panel.getByRole('textbox')).toBeFocused()
    await expect(panel).toBeInViewport({ ratio: 1 })
  })
  await page.unrouteAll()
  await test.step('the chat of the person who is signed in is opened, also again', async () => {
    const { token } = fakeSite.contact('Ada Lovelace', 2)
    fakeSite.signIn.token = token
    await page.goto(`${fakeSite.url({ 'token-url': '/chat-token' })}#natter`)
    await expect(chat.composer).toBeFocused()
    await expect(chat.transcript).toContainText('Message 2.')
    await chat.panel.getByRole('button', { name: 'Close chat' }).click()
    await expect(chat.panel).toBeHidden()
    // The address has not changed, so no `hashchange` is fired.
    await page.evaluate(() => {
      const link = document.body.appendChild(document.createElement('a'))
      link.href = '#natter'
      link.textContent = 'Ask us'
    })
    await page.getByRole('link', { name: 'Ask us' }).click()
    await expect(chat.transcript).toContainText('Message 2.')
  })
})
