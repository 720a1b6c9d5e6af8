import type { Page } from '@playwright/test'
import { blockStorage, Chat, expect, type FakeSite, test } from './fakeSite.ts'
import { readPageData } from './pageData.ts'

// Tracing keeps old page content in the page's memory.
test.use({ trace: 'off' })

/** The heap snapshot after a garbage collection, as text. */
async function takeHeapSnapshot(page: Page): Promise<string> {
  const devtools = await page.context().newCDPSession(page)
  const chunks: string[] = []
  devtools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await devtools.send('HeapProfiler.collectGarbage')
  await devtools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await devtools.detach()
  return chunks.join('')
}

/** Logs a contact in, who sends a message in the open panel. */
async function loginAndSend(page: Page, fakeSite: FakeSite, chat: Chat) {
  const ada = fakeSite.contact('Ada Cerulean', 3)
  await page.goto(fakeSite.url())
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
  await chat.open()
  await expect(chat.panel).toContainText('Chatting as')
  await chat.send('Dyed in vermilion')
  await expect(chat.transcript).toContainText('Sent')
  return ada
}

test('after a logout without a network, no tab’s storage, document or heap contains the contact or the conversation', async ({
  page,
  context,
  fakeSite,
}) => {
  test.setTimeout(60_000)
  const ada = fakeSite.contact('Ada Cerulean', 3)
  const secrets = [ada.token.slice(2), 'Cerulean', 'ultramarine', 'vermilion', 'magenta']
  const tabs = [page, ...(await Promise.all([1, 2, 3, 4].map(() => context.newPage())))]
  for (const tab of tabs) {
    await tab.goto(fakeSite.url())
    if (tab === page) await tab.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
    await new Chat(tab).open()
    await expect(new Chat(tab).transcript).toContainText('Message 3')
  }
  const chat = new Chat(page)
  await chat.send('Dyed in vermilion')
  await expect(chat.transcript).toContainText('Sent')
  const reply = { id: 'reply', text: 'It is **ultramarine**', format: 'markdown' } as const
  fakeSite.platform.emit(ada.messages, { event: 'message.delta', data: { ...reply, offset: 0 } })
  await expect(chat.transcript.getByRole('strong')).toBeVisible()
  fakeSite.platform.say(ada.messages, reply)
  await chat.composer.fill('A draft in magenta')
  for (const tab of tabs) await expect(new Chat(tab).composer).toHaveValue(/draft/)
  const before = (await readPageData(page)) + (await takeHeapSnapshot(page))
  for (const secret of secrets) expect(before).toContain(secret)

  await context.setOffline(true)
  await page.evaluate(() => window.Natter.auth.contacts.logout())
  for (const tab of tabs) {
    await expect(new Chat(tab).panel).not.toContainText('Chatting as')
    await expect(new Chat(tab).composer).toHaveValue('')
  }
  // The tab that logged out, and one that was only notified.
  const after = [await takeHeapSnapshot(page), await takeHeapSnapshot(tabs[4] as Page)]
  for (const tab of tabs) after.push(await readPageData(tab))
  for (const secret of secrets) expect(after.map(text => text.includes(secret))).not.toContain(true)
})

test('a chat that is closed when its contact logs out leaves nothing in memory', async ({ page, fakeSite, chat }) => {
  const ada = await loginAndSend(page, fakeSite, chat)
  await page.evaluate(() => window.Natter.close())
  await expect(chat.panel).toHaveCount(0)
  await page.evaluate(() => window.Natter.auth.contacts.logout())
  // The browser keeps the last text that Playwright has searched, so let it search another one.
  await expect(page.locator('body')).not.toContainText('Ada')
  const heap = await takeHeapSnapshot(page)
  for (const secret of [ada.token.slice(2), 'Cerulean', 'vermilion']) expect(heap.includes(secret), secret).toBe(false)
})

test('with blocked storage, a logout leaves nothing behind and causes no error in the page', async ({
  page,
  fakeSite,
  chat,
}) => {
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  await blockStorage(page)
  const ada = await loginAndSend(page, fakeSite, chat)
  await page.evaluate(() => window.Natter.auth.contacts.logout())
  await expect(chat.panel).not.toContainText('Chatting as')
  const held = (await chat.panel.textContent()) + (await takeHeapSnapshot(page))
  for (const secret of [ada.token.slice(2), 'Cerulean', 'vermilion']) expect(held.includes(secret), secret).toBe(false)
  expect(fakeSite.platform.sessions.get(ada.token)?.ended).toBe('logged_out')

  await chat.say('Anonymously')
  await page.evaluate(() => window.Natter.destroy())
  await page.reload()
  await chat.open()
  await expect(chat.panel).not.toContainText('Anonymously')
  expect(errors).toEqual([])
})
