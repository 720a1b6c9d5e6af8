import type { Page } from '@playwright/test'
import { searchPage } from 'natter/testing'
import { blockStorage, Chat, expect, openWithHtml, test } from './fakeSite.ts'

/** What the page has stored. */
const readStorage = (page: Page) =>
  page.evaluate(async () => ({
    local: Object.keys(localStorage),
    session: JSON.stringify({ ...sessionStorage }),
    databases: (await indexedDB.databases()).length,
  }))

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

test('the page may delete the database, which is created again when needed', async ({ page, chat, fakeSite }) => {
  await page.goto(fakeSite.url())
  const login = (token: string) => page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  await login(fakeSite.contact('Ada', 0).token)
  await chat.open()
  await page.evaluate(
    () =>
      new Promise(done => {
        indexedDB.deleteDatabase('natter:bot').onsuccess = done
      }),
  )
  await login(fakeSite.contact('Grace', 0).token)
  await chat.say('Half a thought')
  const places = async () =>
    (await searchPage(page, { texts: ['Half a thought'], memory: false })).map(({ place }) => place)
  await expect.poll(places).toContain('IndexedDB')
})

test('a misspelt persist is refused: there is no chat, and the console names it', async ({ page, fakeSite }) => {
  for (const [place, html, spelling] of [
    ['the script tag', '<script src="/natter.js" data-bot-id="bot" data-persist="sesion"></script>', 'data-persist'],
    [
      '<natter-chat>',
      '<script src="/natter.js"></script><natter-chat bot-id="bot" persist="sesion"></natter-chat>',
      'persist',
    ],
  ] as const) {
    await test.step(`on ${place}`, async () => {
      const warning = page.waitForEvent('console')
      const errors = await openWithHtml(page, fakeSite, { body: html })
      expect((await warning).text()).toBe(
        `Natter: ${spelling} can't be "sesion". See ${new URL('/docs/widget#options', fakeSite.url())}`,
      )
      await expect(page.locator('[part~=launcher], [part~=panel]')).toHaveCount(0)
      expect(await readStorage(page)).toEqual({ local: [], session: '{}', databases: 0 })
      expect(errors).toEqual([])

      await page.evaluate(() => document.querySelector('natter-chat')?.setAttribute('persist', 'session'))
      await expect(page.locator('[part~=panel]')).toHaveCount(place === '<natter-chat>' ? 1 : 0)
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
