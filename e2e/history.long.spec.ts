import { expect, test } from './fakeSite.ts'

test('what was written today is from yesterday when the page is shown after midnight', async ({
  page,
  fakeSite,
  chat,
}) => {
  // In the time zone of the browser.
  const evening = await page.evaluate(() => new Date(2026, 2, 14, 23, 58).toISOString())
  await page.clock.install({ time: evening })
  const { token, messages } = fakeSite.contact('Grace Hopper', 0)
  fakeSite.platform.say(messages, { text: 'Good evening.', createdAt: evening })
  await page.goto(fakeSite.url())
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  await chat.open()
  await expect(chat.transcript).toContainText('TodayNew messagesAcmeGood evening.')
  await page.clock.fastForward(180_000)
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await expect(chat.transcript).toContainText('YesterdayNew messagesAcmeGood evening.')
})
