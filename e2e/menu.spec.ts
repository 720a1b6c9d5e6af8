import { expect, test } from './fakeSite.ts'

test('the menu can be used with the keyboard alone and asks for confirmation before it ends a chat', async ({
  page,
  fakeSite,
  chat,
}) => {
  await page.goto(fakeSite.url())
  await chat.open()
  await chat.send('Where is my order?')
  await expect(chat.panel).toContainText('Sent')
  const more = chat.panel.getByRole('button', { name: 'More' })
  await more.press('Enter')
  await expect(chat.panel.getByRole('menuitemcheckbox', { name: 'Sound for new messages' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(more).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(chat.panel.getByRole('menuitemcheckbox', { checked: true })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(more).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(chat.panel.getByRole('alertdialog').getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(more).toBeFocused()
  await expect(chat.transcript).toContainText('Where is my order?')
  // This also works offline.
  await page.context().setOffline(true)
  await chat.endChat()
  await expect(chat.transcript).not.toContainText('Where is my order?')
})
