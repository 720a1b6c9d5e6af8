import { expect, test } from './fakeSite.ts'

test('a chat of which a part cannot be loaded says so, keeps what is sent, and retries', async ({
  page,
  fakeSite,
  chat,
}) => {
  await test.step('a chat whose transcript cannot be loaded says so, still sends messages, and retries by itself and on a click', async () => {
    await page.route('**/transcript-*.js*', route => route.abort())
    await page.goto(fakeSite.url())
    await chat.open()
    await expect(chat.panel.getByRole('alert')).toContainText('Couldn’t show the chat.')
    await chat.send('Where is my order?')
    await page.waitForRequest('**/transcript-*.js*')
    const retried = page.waitForRequest('**/transcript-*.js*')
    await chat.panel.getByRole('button', { name: 'Retry' }).click()
    await retried
    await page.unroute('**/transcript-*.js*')
    await expect(chat.transcript).toContainText('Where is my order?')
    await expect(chat.panel).toContainText('Sent')
  })

  await test.step('a chat works without its menu until that can be loaded', async () => {
    await page.route('**/more-*.js*', route => route.abort())
    await page.goto(fakeSite.url())
    const failed = page.waitForEvent('requestfailed', request => request.url().includes('/more-'))
    await chat.open()
    await failed
    await chat.send('And my refund?')
    await expect.poll(() => fakeSite.visitor().messages.map(({ text }) => text)).toContain('And my refund?')
    await expect(chat.panel.getByRole('button', { name: 'More' })).toHaveCount(0)
    await page.unroute('**/more-*.js*')
    await expect(chat.panel.getByRole('button', { name: 'More' })).toBeVisible()
  })

  await test.step('messages of the page are kept while the chat cannot be loaded, and sent when the visitor opens it later', async () => {
    await page.route('**/core-*.js*', route => route.abort())
    await page.goto(fakeSite.url())
    await page.evaluate(() => window.Natter.message({ text: 'Is the red one in stock?', prefill: 'In size 42' }))
    await expect(page.getByRole('alert')).toHaveText('Couldn’t load the chat. Retry')
    await page.unroute('**/core-*.js*')
    await chat.open()
    await expect(chat.transcript.getByText('Is the red one in stock?')).toHaveCount(1)
    await expect(chat.composer).toHaveValue('In size 42')
    await expect(chat.panel).toContainText('Sent')
  })
})
