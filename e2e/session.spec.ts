import { expect, test } from './fakeSite.ts'

test('when an anonymous session ends, an open page loses nothing unsent, and a page load removes everything', async ({
  page,
  fakeSite,
  chat,
}) => {
  await page.goto(fakeSite.url())
  await chat.open()
  await test.step('it expires in an open page: neither the message being sent nor the draft is lost', async () => {
    await chat.say('Yesterday')
    const yesterday = fakeSite.visitor()
    await page.context().setOffline(true)
    fakeSite.platform.end(yesterday.token, 'expired')
    await chat.send('Today')
    await chat.composer.fill('Half a thought')
    await page.context().setOffline(false)
    await expect.poll(() => fakeSite.visitor().messages.map(({ text }) => text)).toEqual(['Today'])
    expect(fakeSite.visitor().token).not.toBe(yesterday.token)
    await expect(chat.transcript).toContainText('Today')
    await expect(chat.transcript).not.toContainText('Yesterday')
    await expect(chat.composer).toHaveValue('Half a thought')
  })
  await test.step('the page calls localStorage.clear(): nothing unsent is lost', async () => {
    await chat.say('Before')
    const before = fakeSite.visitor()
    await chat.composer.fill('Half a thought')
    await page.evaluate(() => localStorage.clear())
    await chat.composer.press('Enter')
    await expect.poll(() => fakeSite.visitor().messages.map(({ text }) => text)).toEqual(['Half a thought'])
    expect(fakeSite.visitor().token).not.toBe(before.token)
    await expect(chat.transcript).not.toContainText('Before')
  })
  await test.step('it has expired when a page loads: everything of it is removed', async () => {
    await chat.say('Yesterday')
    await page.route('**/widget/messages', route => route.abort())
    await chat.send('Not sent')
    await chat.composer.fill('Half a thought')
    await expect(chat.transcript).toContainText('Not sent')
    fakeSite.platform.sessions.forEach(session => {
      session.ended = 'expired'
    })
    await page.goto('about:blank')
    await page.unroute('**/widget/messages')
    await page.goto(fakeSite.url())
    await chat.open()
    await expect(chat.composer).toHaveValue('')
    await expect(chat.panel).not.toContainText(/Yesterday|Not sent/)
    await expect.poll(() => page.evaluate(() => localStorage.getItem('natter:bot:identity'))).not.toMatch(/[cv]:/)
  })
})

test('a logout before the core is loaded, after the clock was set back, leaves nothing stored', async ({
  page,
  fakeSite,
  chat,
}) => {
  const ada = fakeSite.contact('Ada', 3)
  await page.goto(fakeSite.url())
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
  await chat.open()
  await expect(chat.panel).toContainText('Message 3')
  const stored = () =>
    page.evaluate(async () => {
      const rows: unknown[] = []
      for (const { name = '' } of await indexedDB.databases()) {
        const database = await new Promise<IDBDatabase>(resolve => {
          const request = indexedDB.open(name)
          request.onsuccess = () => resolve(request.result)
        })
        const records = database.transaction('records').objectStore('records').getAll()
        rows.push(await new Promise(resolve => Object.assign(records, { onsuccess: () => resolve(records.result) })))
        database.close()
      }
      return JSON.stringify(rows)
    })
  await expect.poll(stored).toContain('Message 3')
  await page.addInitScript(() => {
    const now = Date.now
    Date.now = () => now() - 31_536_000_000
  })
  await page.goto(fakeSite.url())
  await page.evaluate(() => window.Natter.auth.contacts.logout())
  await expect.poll(stored).not.toContain('Message 3')
})
