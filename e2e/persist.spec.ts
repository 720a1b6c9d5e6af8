import { readStorage } from './chatData.ts'
import { blockStorage, Chat, expect, test } from './fakeSite.ts'

test('a chat that is not kept belongs to one tab', async ({ browser, fakeSite }) => {
  for (const persist of ['session', 'memory'] as const) {
    await test.step(`with persist: '${persist}' ${persist === 'session' ? 'until it is closed' : 'and one page'}`, async () => {
      const context = await browser.newContext()
      const page = await context.newPage()
      const chat = new Chat(page)
      const ada = fakeSite.contact('Ada', 3)
      await page.goto(fakeSite.url({ persist }))
      await page.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
      await chat.open()
      await chat.composer.fill('Half a thought')

      const second = await context.newPage()
      const other = new Chat(second)
      await second.goto(fakeSite.url({ persist }))
      await other.open()
      await other.say('Anonymously')
      await expect(other.panel).not.toContainText(/Ada|Message|thought/)
      await expect(chat.transcript).toContainText('Message 3')
      await expect(chat.panel).not.toContainText('Anonymously')

      const { local, session, databases } = await readStorage(page)
      expect([local, databases]).toEqual([[], 0])
      await page.reload()
      await chat.open()
      if (persist === 'session') {
        for (const each of [ada.token, 'Message 3', 'Half a thought']) expect(session).toContain(each)
        await expect(chat.panel).toContainText('Chatting as Ada')
        await expect(chat.transcript).toContainText('Message 3')
        await expect(chat.composer).toHaveValue('Half a thought')
        // The browser copies sessionStorage into a tab opened by the page. Such a tab learns of the logout from the platform.
        const [copy] = await Promise.all([context.waitForEvent('page'), page.evaluate(() => void open(location.href))])
        await copy.waitForURL(page.url())
        await expect.poll(() => copy.evaluate(() => window.Natter.auth.contacts.current?.name)).toBe('Ada')
        await copy.evaluate(() => window.Natter.auth.contacts.logout())
        await expect(chat.panel).not.toContainText('Ada')
      } else expect(session).toBe('{}')
      await expect(chat.transcript).toContainText('Hello')
      await expect(chat.panel).not.toContainText(/Ada|Message/)
      await expect(chat.composer).toHaveValue('')
      expect(JSON.stringify(await readStorage(page))).not.toMatch(/c:0|Ada|Message|thought/)
      await expect(other.transcript).toContainText('Anonymously')
      await context.close()
    })
  }
})

test('only a visitor whose browser stores nothing is told so, not one of a site that chose memory', async ({
  page,
  fakeSite,
  chat,
}) => {
  const notice = 'This chat isn’t saved'
  await page.goto(fakeSite.url({ persist: 'memory' }))
  await chat.open()
  await chat.say('Is this saved?')
  await expect(chat.panel).not.toContainText(notice)
  await blockStorage(page)
  await page.goto(fakeSite.url())
  await chat.open()
  await chat.say('Is this saved?')
  await expect(chat.panel).toContainText(notice)
})
