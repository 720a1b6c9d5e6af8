import { expect, test } from './fakeSite.ts'

test('a chat whose transcript cannot be loaded says so, still sends messages, and retries by itself and on a click', async ({
  page,
  fakeSite,
  chat,
}) => {
  await page.route('**/Transcript-*.js', route => route.abort())
  await page.goto(fakeSite.url())
  await chat.open()
  await expect(chat.panel.getByRole('alert')).toContainText('Couldn’t show the chat.')
  await chat.send('Where is my order?')
  await page.waitForRequest('**/Transcript-*.js')
  const retried = page.waitForRequest('**/Transcript-*.js')
  await chat.panel.getByRole('button', { name: 'Retry' }).click()
  await retried
  await page.unroute('**/Transcript-*.js')
  await expect(chat.transcript).toContainText('Where is my order?')
  await expect(chat.panel).toContainText('Sent')
})

test('a chat works without its menu until that can be loaded', async ({ page, fakeSite, chat }) => {
  await page.route('**/menu-*.js', route => route.abort())
  await page.goto(fakeSite.url())
  const failed = page.waitForEvent('requestfailed', request => request.url().includes('/menu-'))
  await chat.open()
  await failed
  await chat.send('Where is my order?')
  await expect(chat.panel).toContainText('Sent')
  await expect(chat.panel.getByRole('button', { name: 'More' })).toHaveCount(0)
  await page.unroute('**/menu-*.js')
  await expect(chat.panel.getByRole('button', { name: 'More' })).toBeVisible()
})

test('messages of the page are kept while the chat cannot be loaded, and sent when the visitor opens it later', async ({
  page,
  fakeSite,
  chat,
}) => {
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
