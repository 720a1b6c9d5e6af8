import type { Page } from '@playwright/test'
import { test } from './backForwardCache.ts'
import { type Chat, expect, type FakeSite } from './fakeSite.ts'

const login = (page: Page, token: string) =>
  page.evaluate(token => window.Natter.auth.contacts.login({ token }).then(() => {}), token)
const logout = (page: Page) => page.evaluate(() => window.Natter.auth.contacts.logout())

/** Ada sends a message and leaves a draft. */
async function writeAsAda({ page, fakeSite, chat }: { page: Page; fakeSite: FakeSite; chat: Chat }) {
  const ada = fakeSite.contact('Ada', 0)
  await page.goto(fakeSite.url())
  await login(page, ada.token)
  await chat.open()
  await expect(chat.panel).toContainText('Chatting as Ada')
  await chat.composer.pressSequentially('My parcel was opened')
  await chat.composer.press('Enter')
  await expect(chat.panel).toContainText('Sent')
  await chat.composer.pressSequentially('Half a thought')
}

/** Presses all undo and redo keys. Returns everything that was in the field meanwhile. */
async function pressUndoKeys(page: Page, chat: Chat): Promise<string> {
  const values: string[] = []
  for (const key of ['Control+z', 'Control+z', 'Control+Shift+z', 'Control+y', 'Control+z', 'Control+Shift+z']) {
    await page.keyboard.press(key)
    values.push(await chat.composer.inputValue())
  }
  return values.join('')
}

test('undo restores nothing that another person wrote, and nothing of it can be sent', async ({
  page,
  fakeSite,
  chat,
}) => {
  await test.step('after a login in the page', async () => {
    await writeAsAda({ page, fakeSite, chat })
    const grace = fakeSite.contact('Grace', 0)
    await logout(page)
    await login(page, grace.token)
    await expect(chat.panel).toContainText('Chatting as Grace')
    // The field was replaced but kept the focus.
    await expect(chat.composer).toBeFocused()
    expect(await pressUndoKeys(page, chat)).toBe('')
    await page.keyboard.press('Enter')
    // The visitor's own text can be undone.
    await chat.composer.pressSequentially('Hello')
    await page.keyboard.press('Control+z')
    await expect(chat.composer).toHaveValue('')
    expect(await pressUndoKeys(page, chat)).not.toMatch(/parcel|thought/)
    await chat.composer.fill('I am Grace')
    await page.keyboard.press('Enter')
    await expect.poll(() => grace.messages.map(({ text }) => text)).toEqual(['I am Grace'])
  })
  await test.step('when the page returns from the back/forward cache', async () => {
    await writeAsAda({ page, fakeSite, chat })
    const grace = fakeSite.contact('Grace', 0)
    await page.evaluate(() => Object.assign(window, { isSamePage: true }))
    await page.goto('about:blank')
    const other = await page.context().newPage()
    await other.goto(fakeSite.url())
    await login(other, grace.token)
    await other.close()
    await page.evaluate(() => void setTimeout(() => history.back()))
    await expect(chat.panel).toContainText('Chatting as Grace')
    expect(await page.evaluate(() => (window as { isSamePage?: boolean }).isSamePage)).toBe(true)
    await chat.composer.click()
    expect(await pressUndoKeys(page, chat)).toBe('')
    await page.keyboard.press('Enter')
    await chat.say('I am Grace')
    expect(grace.messages.map(({ text }) => text)).toEqual(['I am Grace'])
  })
})
