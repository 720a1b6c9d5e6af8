import { collectErrors, tab } from './demoPage.ts'
import { expect, test } from './fixtures.ts'

const anonymous = 'anonymous'
const ada = 'identified as Ada Lovelace'
const states: [name: string, shows: string, session: string][] = [
  ['Anonymous, talking', '30 days', anonymous],
  ['Identifying', 'Signing you in…', 'identifying'],
  ['Anonymous, empty', 'What can I do for you?', anonymous],
  ['Identified', 'Chatting as Ada Lovelace', ada],
  ['Restoring', 'Opening your conversation…', 'identifying'],
  ['Offline', 'You’re offline', anonymous],
  ['Reconnecting', 'Reconnecting…', ada],
  ['Answer with sources', 'It takes two to four days.', ada],
  ['Files', 'Care guide.txt', ada],
  ['Message removed', 'This message was removed.', ada],
  ['Person requested', 'We’ve let the team know.', anonymous],
  ['Person joined', 'Nora joined', ada],
  ['Handed back', 'You’re talking to the assistant again', ada],
  ['Message failed', 'Not sent.', anonymous],
  ['History failed', 'Couldn’t load earlier messages.', ada],
  ['Ended: revoked', 'Your session has ended.', anonymous],
  ['Ended: expired', 'Your session has expired.', anonymous],
  ['Ended: deleted', 'This conversation has been deleted.', anonymous],
  ['Rate limited', 'Too many messages', anonymous],
  ['Bot unavailable', 'Chat isn’t available right now.', anonymous],
  ['Storage blocked', 'This chat isn’t saved', anonymous],
]

test('the control panel can show every state, from any other state', async ({ shop, page }) => {
  // Loads one page per state.
  test.slow()
  const errors = collectErrors(page)
  await shop.visit()
  await shop.signIn('Grace')
  await tab(page, 'States').click()
  for (const [name, shows, session] of states) {
    await test.step(name, async () => {
      await page.getByRole('link', { name, exact: true }).click()
      await expect(shop.chat.panel).toContainText(shows)
      await expect(shop.state).toHaveText(session)
      // Nothing of the previous state is left.
      await expect(page.locator('body')).not.toContainText('Grace Hopper')
      if (session === anonymous) await expect(shop.chat.panel).not.toContainText('Lovelace')
    })
  }
  await page.getByRole('link', { name: 'Answering' }).click()
  await expect(shop.chat.panel.getByRole('button', { name: 'Stop the answer' })).toBeVisible()
  await page.getByRole('link', { name: 'Preview' }).click()
  await expect(page.locator('[part~="preview"]')).toContainText('Your boots left this morning.')
  await page.getByRole('link', { name: 'Panel not loaded' }).click()
  await expect(page.getByRole('alert')).toHaveText('Couldn’t load the chat. Retry')
  await shop.chat.open()
  await expect(shop.chat.transcript).toContainText('What can I do for you?')
  expect(errors).toEqual([])
})
