import { expect, test } from './stage.ts'

test('the menu goes by keys alone, and asks before it ends a chat', async ({ page, stage, chat }) => {
  await page.goto(stage.url())
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
  // Without a network, too.
  await page.context().setOffline(true)
  await chat.endChat()
  await expect(chat.transcript).not.toContainText('Where is my order?')
})

test('the chat goes without its menu where that can not be fetched, and tries again when it is opened', async ({
  page,
  stage,
  chat,
}) => {
  await page.route('**/menu-*.js', route => route.abort())
  await page.goto(stage.url())
  const failed = page.waitForEvent('requestfailed')
  await chat.open()
  await failed
  await chat.send('Where is my order?')
  await expect(chat.panel).toContainText('Sent')
  await expect(chat.panel.getByRole('button', { name: 'More' })).toHaveCount(0)
  await page.unroute('**/menu-*.js')
  await chat.composer.press('Escape')
  await chat.open()
  await expect(chat.panel.getByRole('button', { name: 'More' })).toBeVisible()
})
