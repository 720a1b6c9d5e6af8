import type { Page } from '@playwright/test'
import { expect, type FakeSite, test } from './fakeSite.ts'
import { recordFramesOfNextPage, shownTexts } from './shownFrames.ts'

const cardOf = (page: Page) => page.locator('[part~="preview"]')

/** Ada, whose chat is closed and connected. */
async function visitAsAda(page: Page, fakeSite: FakeSite, attributes: Record<string, string> = {}) {
  const ada = fakeSite.contact('Ada Lovelace', 1)
  await page.goto(fakeSite.url(attributes))
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
  await expect.poll(() => [...fakeSite.platform.streams].some(({ token }) => token === ada.token)).toBe(true)
  return ada
}

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

test('the preview does as the site has set it up', async ({ page, fakeSite, chat }) => {
  await test.step('turned off', async () => {
    const { messages } = await visitAsAda(page, fakeSite, { preview: 'false' })
    fakeSite.platform.say(messages, { text: 'Hello again.' })
    await expect(chat.launcher).toHaveAccessibleName('Chat, 2 unread')
    await expect(cardOf(page)).toHaveCount(0)
  })
  await test.step('with a launcher of the site, it can be opened and dismissed by keyboard', async () => {
    const { messages } = await visitAsAda(page, fakeSite, { launcher: 'main button' })
    const launcher = page.getByRole('button', { name: 'Of the page' })
    fakeSite.platform.say(messages, { text: 'Hello again.' })
    const card = cardOf(page)
    const bottomOf = async () => {
      const { y, height } = (await card.boundingBox()) ?? { y: 0, height: 0 }
      return y + height
    }
    await expect(card).toContainText('Hello again.')
    await expect.poll(bottomOf).toBe((page.viewportSize()?.height ?? 0) - 20)
    await launcher.focus()
    for (const key of ['Escape', 'Enter']) {
      await page.keyboard.press('Tab')
      await expect(card.getByRole('button', { name: 'Hello again.' })).toBeFocused()
      if (key === 'Enter') await page.keyboard.press('Tab')
      await page.keyboard.press(key)
      await expect(card).toBeHidden()
      await expect(launcher).toBeFocused()
      await expect(chat.panel).toBeHidden()
      fakeSite.platform.say(messages, { text: 'Hello again.' })
      await expect(card).toBeVisible()
    }
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(chat.composer).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(launcher).toBeFocused()
  })
  await test.step('for an inline chat that the page has closed, it is in the corner of the page', async () => {
    const { messages } = await visitAsAda(page, fakeSite, { mode: 'inline', target: 'main' })
    await page.evaluate(() => window.Natter.close())
    fakeSite.platform.say(messages, { text: 'Hello again.' })
    const box = () => cardOf(page).boundingBox()
    await expect(cardOf(page)).toContainText('Hello again.')
    await expect
      .poll(async () => ((await box())?.y ?? 0) + ((await box())?.height ?? 0))
      .toBe((page.viewportSize()?.height ?? 0) - 20)
  })
})
