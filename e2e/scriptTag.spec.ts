import type { Page } from '@playwright/test'
import { expect, type FakeSite, openWithHtml, test } from './fakeSite.ts'

const script = (attributes = '') => `<script src="/natter.js" data-bot-id="bot" ${attributes}></script>`

/** Opens a page with this body and returns its uncaught errors. */
const openPage = (page: Page, fakeSite: FakeSite, body: string) =>
  openWithHtml(page, fakeSite, { head: '<title>Page</title>', body })

test('a chat behind the site’s own launcher, or in a target, is there once', async ({ page, fakeSite, chat }) => {
  for (const [mode, attributes, role] of [
    ['behind the site’s own launcher', 'data-launcher="#own"', 'dialog'],
    ['in a target', 'data-mode="inline" data-target="#target"', 'region'],
  ] as const) {
    await test.step(`the script is included twice: ${mode}`, async () => {
      const own = '<button id="own">Help</button><div id="target" style="height:400px"></div>'
      const errors = await openPage(page, fakeSite, own + script(attributes) + script(attributes))
      await page.evaluate(() => window.Natter.ready)
      if (role === 'dialog') await page.click('#own')
      await expect(page.getByRole(role)).toHaveCount(1)
      await expect(page.locator('[data-natter]')).toHaveCount(1)
      await expect(page.locator('[part~=launcher]:visible')).toHaveCount(0)
      expect(errors).toEqual([])
    })
  }
  await test.step('an inline chat that was closed or failed before it was rendered shows a launcher that opens it', async () => {
    const composer = page.getByRole('region').getByRole('textbox')
    const inline = `<div id="target" style="height:420px"></div>${script('data-mode="inline" data-target="#target"')}`
    await openPage(page, fakeSite, `${inline}<script>Natter.on('ready', () => Natter.close())</script>`)
    await chat.launcher.click()
    await expect(composer).toBeFocused()
    await page.route('**/panel-*.js*', route => route.abort())
    await openPage(page, fakeSite, inline)
    await expect(chat.launcher).toHaveAccessibleName('Couldn’t load the chat. Retry')
    await page.unroute('**/panel-*.js*')
    await chat.launcher.click()
    await expect(composer).toBeFocused()
  })
})

test('the chat survives a replaced page', async ({ page, fakeSite, chat }) => {
  await test.step('it and its identity move to a new body that replaces the old one', async () => {
    const { token } = fakeSite.contact('Ada', 2)
    const errors = await openPage(page, fakeSite, `<h1>Page</h1>${script()}`)
    await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
    // Like Turbo's back navigation: it inserts a clone of the body and runs its scripts again.
    await page.evaluate(() => {
      const first = window.Natter
      const body = document.body.cloneNode(true) as HTMLBodyElement
      document.body.replaceWith(body)
      for (const old of body.querySelectorAll('script')) {
        const copy = document.createElement('script')
        for (const { name, value } of old.attributes) copy.setAttribute(name, value)
        old.replaceWith(copy)
      }
      Object.assign(window, { first })
    })
    await chat.open()
    await expect(chat.panel).toContainText('Chatting as Ada')
    expect(await page.evaluate(() => window.Natter === (window as never as { first: unknown }).first)).toBe(true)
    // After destroy() another widget can be added.
    await page.evaluate(() => {
      window.Natter.destroy()
      const copy = document.createElement('script')
      Object.assign(copy, { src: '/natter.js' }).dataset['botId'] = 'bot'
      document.body.append(copy)
    })
    await expect(chat.panel).toHaveCount(0)
    await chat.open()
    expect(errors).toEqual([])
  })
  await test.step('after document.open() there is no chat: nothing is shown or lost, and a logout revokes the token', async () => {
    const { token } = fakeSite.contact('Ada', 2)
    const tag = script('data-persist="memory"')
    const errors = await openPage(page, fakeSite, `<h1>Page</h1>${tag}`)
    await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
    await chat.open()
    await page.evaluate(tag => {
      document.open()
      document.write(`<!doctype html><html lang="en"><body><h1>Another</h1>${tag}</body></html>`)
      document.close()
      window.Natter.open()
    }, tag)
    await expect(page.getByRole('heading', { name: 'Another' })).toBeVisible()
    await page.evaluate(() => window.Natter.auth.contacts.logout())
    await expect.poll(() => fakeSite.platform.sessions.get(token)?.ended).not.toBeNull()
    await expect(page.locator('[data-natter]')).toHaveCount(0)
    expect(errors).toEqual([])
    await page.unrouteAll()
  })
  await test.step('a message that was waiting when the page called document.open() is sent by the next page', async () => {
    await page.route('**/widget/messages', route => route.abort())
    await openPage(page, fakeSite, script())
    await chat.open()
    await chat.composer.fill('Hello')
    await chat.composer.press('Enter')
    await expect(chat.panel).toContainText('Waiting to send')
    await page.evaluate(() => document.open())
    await page.unrouteAll()
    await openPage(page, fakeSite, script())
    const sent = () =>
      [...fakeSite.platform.sessions.values()].flatMap(({ messages }) => messages.map(({ text }) => text))
    await expect.poll(sent).toContain('Hello')
  })
  await test.step('the launcher of a script in the head survives a replaced body, and stays hidden if the page has hidden it', async () => {
    await openPage(page, fakeSite, '<h1>Page</h1>')
    await page.evaluate(() => {
      const tag = document.createElement('script')
      Object.assign(tag, { src: '/natter.js' }).dataset['botId'] = 'bot'
      document.head.append(tag)
    })
    await chat.open()
    const replaceBody = () => page.evaluate(() => document.body.replaceWith(document.createElement('body')))
    await replaceBody()
    await expect(chat.launcher).toBeVisible()
    await page.evaluate(() => window.Natter.hide())
    await replaceBody()
    await page.evaluate(() => {
      const secondScript = document.createElement('script')
      Object.assign(secondScript, { src: '/natter.js' }).dataset['botId'] = 'bot'
      document.body.append(secondScript)
      return new Promise(resolve => secondScript.addEventListener('load', resolve))
    })
    await expect(page.locator('[data-natter]')).toHaveCount(1)
    await expect(chat.launcher).toBeHidden()
    await page.evaluate(() => window.Natter.show())
    await expect(chat.launcher).toBeVisible()
  })
})

test('what the page has said before the script was there counts', async ({ page, fakeSite, chat }) => {
  await test.step('in the queue, also if the page has frozen Array.prototype', async () => {
    const snippet = `<script>
      window.Natter = { q: [] }
      kept = Natter.q
      Object.freeze(Array.prototype)
    </script>`
    const errors = await openPage(page, fakeSite, snippet + script())
    await page.evaluate(() => {
      const { kept } = window as never as { kept: unknown[] }
      kept.push(['open', [], () => {}, () => {}])
    })
    await expect(chat.composer).toBeFocused()
    expect(errors).toEqual([])
  })
  await test.step('in the queue, behind an invalid call', async () => {
    const early = `<script>window.Natter = { q: [null, ['open', []]] }</script>`
    const errors = await openPage(page, fakeSite, early + script())
    await expect(chat.composer).toBeFocused()
    expect(errors).toHaveLength(1)
  })
  await test.step('in the options of <natter-chat>', async () => {
    const early = `<natter-chat bot-id="bot"></natter-chat>
      <script>document.querySelector('natter-chat').options = { strings: { writeMessage: 'Ask us' } }</script>`
    const errors = await openPage(page, fakeSite, `${early}<script src="/natter.js"></script>`)
    await expect(page.getByRole('textbox', { name: 'Ask us' })).toBeVisible()
    expect(errors).toEqual([])
  })
})
