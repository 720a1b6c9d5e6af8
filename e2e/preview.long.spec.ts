import { expect, test } from './fakeSite.ts'
import { cardOf, visitAsAda } from './preview.ts'

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
