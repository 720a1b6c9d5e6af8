import { searchPage } from 'natter/testing'
import { readStorage } from './chatData.ts'
import { expect, openWithHtml, test } from './fakeSite.ts'

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
  for (const [place, html] of [
    ['the script tag', '<script src="/natter.js" data-bot-id="bot" data-persist="sesion"></script>'],
    ['<natter-chat>', '<script src="/natter.js"></script><natter-chat bot-id="bot" persist="sesion"></natter-chat>'],
  ] as const) {
    await test.step(`on ${place}`, async () => {
      const warning = page.waitForEvent('console')
      const errors = await openWithHtml(page, fakeSite, { body: html })
      expect((await warning).text()).toBe(
        `Natter: The option \`persist\` has a wrong value. See ${new URL('/docs/widget#options', fakeSite.url())}`,
      )
      await expect(page.locator('[part~=launcher], [part~=panel]')).toHaveCount(0)
      expect(await readStorage(page)).toEqual({ local: [], session: '{}', databases: 0 })
      expect(errors).toEqual([])

      await page.evaluate(() => document.querySelector('natter-chat')?.setAttribute('persist', 'session'))
      await expect(page.locator('[part~=panel]')).toHaveCount(place === '<natter-chat>' ? 1 : 0)
    })
  }
})
