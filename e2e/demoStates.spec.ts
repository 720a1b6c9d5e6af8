import { complaintsOf, tab } from './demoPage.ts'
import { expect, test } from './fixtures.ts'

/** `session` where the state is about one; in the others whoever is signed in stays so. */
const states: [name: string, shows: string, session?: string][] = [
  ['Anonymous, empty', 'What can I do for you?', 'anonymous'],
  ['Anonymous, talking', '30 days', 'anonymous'],
  ['Identifying', 'Signing you in…', 'identifying'],
  ['Identified', 'Chatting as Ada Lovelace', 'identified as Ada Lovelace'],
  ['Restoring', 'Opening your conversation…', 'identifying'],
  ['Offline', 'You’re offline'],
  ['Reconnecting', 'Reconnecting…', 'identified as Ada Lovelace'],
  ['Message failed', 'Not sent.'],
  ['History failed', 'Could not load earlier messages.', 'identified as Ada Lovelace'],
  ['Ended: revoked', 'You have been signed out.', 'anonymous'],
  ['Ended: expired', 'Your session has expired.', 'anonymous'],
  ['Ended: deleted', 'This conversation has been deleted.', 'anonymous'],
  ['Rate limited', 'Waiting to send'],
  ['Bot unavailable', 'Chat is not available now.'],
  ['Storage blocked', 'This browser keeps nothing'],
]
for (const [name, shows, session] of states) {
  test(`the panel leads to the state “${name}”, from wherever one is`, async ({ shop, page }) => {
    // Two pages, a sign-in, and where the state is about waiting, that too.
    test.slow()
    const complaints = complaintsOf(page)
    await shop.visit()
    await shop.signIn('Grace')
    await tab(page, 'States').click()
    await page.getByRole('link', { name, exact: true }).click()
    await expect(shop.chat.panel).toContainText(shows, { timeout: 12_000 })
    if (session) await expect(shop.state).toHaveText(session)
    expect(complaints).toEqual([])
  })
}

test('the panel leads to a widget whose panel does not load, which loads at the next click', async ({ shop, page }) => {
  await shop.visit()
  await tab(page, 'States').click()
  await page.getByRole('link', { name: 'Panel not loaded' }).click()
  await expect(page.getByRole('alert')).toHaveText('Chat could not be loaded. Retry')
  await shop.chat.open()
  await expect(shop.chat.transcript).toContainText('What can I do for you?')
})
