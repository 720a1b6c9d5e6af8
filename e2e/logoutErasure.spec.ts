import { expectNothingLeft, searchPage } from 'natter/testing'
import { blockStorage, Chat, expect, test } from './fakeSite.ts'
import { loginAndSend } from './loginAndSend.ts'

test('after a logout without a network, no tab’s storage, document or heap contains the contact or the conversation, nor the token once it is revoked', async ({
  page,
  context,
  fakeSite,
}) => {
  const ada = fakeSite.contact('Ada Cerulean', 3)
  const texts = [ada.token.slice(2), 'Cerulean', 'ultramarine', 'vermilion', 'magenta']
  const tabs = [page]
  while (tabs.length < 3) tabs.push(await context.newPage())
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
  const before = await searchPage(page, { texts, memory: false })
  for (const text of texts) expect(before.map(finding => finding.text)).toContain(text)

  await context.setOffline(true)
  await page.evaluate(() => window.Natter.auth.contacts.logout())
  for (const tab of tabs) {
    await expect(new Chat(tab).panel).not.toContainText('Chatting as')
    await expect(new Chat(tab).composer).toHaveValue('')
  }
  // The tab that logged out keeps the token in memory until the platform has revoked it; one that was only notified does not.
  const [token = '', ...others] = texts
  for (const tab of tabs.slice(1)) await expectNothingLeft(tab, { texts, memory: tab === tabs[1] })
  await expectNothingLeft(page, { texts: [token], memory: false })
  await expectNothingLeft(page, { texts: others })

  await context.setOffline(false)
  // An attempt that fails at the moment at which the network returns is repeated after 30 s at the latest.
  await expect.poll(() => fakeSite.platform.sessions.get(ada.token)?.ended, { timeout: 40_000 }).toBe('logged_out')
  await expectNothingLeft(page, { texts })
})

test('a logout where storage is blocked leaves nothing behind, and causes no error in the page', async ({
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
  await expectNothingLeft(page, { texts: [ada.token.slice(2), 'Cerulean', 'vermilion'] })
  expect(fakeSite.platform.sessions.get(ada.token)?.ended).toBe('logged_out')

  await chat.say('Anonymously')
  await page.evaluate(() => window.Natter.destroy())
  await page.reload()
  await chat.open()
  await expect(chat.panel).not.toContainText('Anonymously')
  expect(errors).toEqual([])
})
