import { expect, test } from './fakeSite.ts'
import { cardOf, visitAsAda } from './preview.ts'
import { recordFramesOfNextPage, shownTexts } from './shownFrames.ts'

test('a message to a closed chat is previewed above the launcher', async ({ page, fakeSite, chat }) => {
  const { messages } = await visitAsAda(page, fakeSite)
  await test.step('once, and a click opens the chat', async () => {
    const sender = { name: 'Nora', avatar: '/avatar.svg' }
    fakeSite.platform.say(messages, {
      text: 'Your **refund** is on its way.',
      format: 'markdown',
      author: 'agent',
      sender,
    })
    await expect(cardOf(page)).toBeVisible()
    await expect(cardOf(page)).toContainText('Nora')
    await expect(cardOf(page)).toContainText('Your refund is on its way.')
    await recordFramesOfNextPage(page)
    await page.reload()
    await expect(chat.launcher).toHaveAccessibleName(/unread/)
    fakeSite.platform.say(messages, { text: 'Anything else?', author: 'agent', sender })
    await expect(cardOf(page).getByRole('button', { name: 'Anything else?' })).toBeVisible()
    expect(await shownTexts(page)).not.toContain('refund')
    await cardOf(page).getByRole('button', { name: 'Anything else?' }).click()
    await expect(chat.composer).toBeFocused()
    await expect(chat.transcript).toContainText('Anything else?')
    await expect(cardOf(page)).toBeHidden()
  })
  await chat.composer.press('Escape')
  await test.step('until it is dismissed by keyboard', async () => {
    fakeSite.platform.say(messages, { text: 'Hello again.' })
    await expect(cardOf(page)).toContainText('Hello again.')
    await cardOf(page).getByRole('button', { name: 'Dismiss' }).press('Enter')
    await expect(cardOf(page)).toBeHidden()
    await expect(chat.launcher).toBeFocused()
    await expect(chat.panel).toBeHidden()
  })
  await test.step('until a logout, and nothing of it stays in the page', async () => {
    fakeSite.platform.say(messages, { text: 'Your refund is on its way.' })
    await expect(cardOf(page)).toContainText('refund')
    const left = await page.evaluate(() => {
      const root = document.querySelector('[data-natter]')?.shadowRoot as ShadowRoot
      void window.Natter.auth.contacts.logout()
      return root.querySelector('.preview')?.textContent
    })
    expect(left).toBe('')
    await expect
      .poll(() => page.evaluate(() => document.querySelector('[data-natter]')?.shadowRoot?.textContent))
      .not.toContain('refund')
  })
})

test('with tokenUrl no preview is shown until the site has said who is signed in', async ({ page, fakeSite }) => {
  const attributes = { 'token-url': '/chat-token' }
  const ada = fakeSite.contact('Ada Lovelace', 1)
  fakeSite.signIn.token = ada.token
  await page.goto(fakeSite.url(attributes))
  await page.evaluate(() => window.Natter.auth.refresh())
  await expect.poll(() => [...fakeSite.platform.streams].some(({ token }) => token === ada.token)).toBe(true)
  fakeSite.platform.say(ada.messages, { text: 'Your refund is on its way.' })
  await expect(cardOf(page)).toContainText('refund')
  fakeSite.platform.say(ada.messages, { text: 'It has arrived.' })
  await expect(cardOf(page)).toContainText('It has arrived.')
  fakeSite.platform.say(ada.messages, { text: 'Good bye, Ada.' })
  await expect(cardOf(page)).toContainText('Good bye, Ada.')
  fakeSite.signIn.token = null
  await page.evaluate(() => window.Natter.auth.refresh())
  await expect(cardOf(page)).toBeHidden()
  expect(await page.evaluate(() => document.querySelector('[data-natter]')?.shadowRoot?.textContent)).not.toContain(
    'Ada',
  )
})
