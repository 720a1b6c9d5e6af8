import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { NatterChatElement } from 'natter/element'
import { expect, type FakeSite, openWithHtml, test } from './fakeSite.ts'
import { root } from './processes.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

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
    await expect(chat.transcript).toContainText('Hello')
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

/** Collects the console's warnings from now on. */
function collectWarnings(page: Page) {
  const warnings: string[] = []
  page.on('console', message => message.type() === 'warning' && warnings.push(message.text()))
  return warnings
}

test('each mistake in the script tag causes one warning, and the chat works all the same', async ({
  page,
  fakeSite,
  chat,
}) => {
  await test.step('valid options load no code for warnings', async () => {
    const requests: string[] = []
    page.on('request', request => requests.push(request.url()))
    await openPage(page, fakeSite, script('data-theme="dark" data-offset="32" data-turbo-track="reload"'))
    await expect(chat.launcher).toBeVisible()
    await page.evaluate(() => window.Natter.ready)
    expect(requests.filter(url => url.includes('/natter@'))).toEqual([])
  })
  await test.step('an invalid selector in data-launcher leaves our own launcher in the page', async () => {
    const warnings = collectWarnings(page)
    const errors = await openPage(page, fakeSite, script('data-launcher="#1help"'))
    await chat.open()
    await expect.poll(() => warnings.join()).toContain(`data-launcher can't be "#1help"`)
    expect(errors).toEqual([])
  })
  await test.step('invalid options: the chat uses the defaults', async () => {
    const warnings = collectWarnings(page)
    const wrong = 'data-theme="drak" data-offset="20px" data-acent="#fff" data-launcher=".nowhere" data-turbo-track="x"'
    const errors = await openPage(page, fakeSite, script(wrong))
    await expect.poll(() => warnings.length).toBe(3)
    expect(warnings.join('\n')).toMatch(/data-theme can't be "drak"\. See http\S+\/docs\/widget#options/)
    expect(warnings.join('\n')).toContain('data-offset can\'t be "20px"')
    expect(warnings.join('\n')).toContain('No element of the page matches data-launcher ".nowhere"')
    await page.evaluate(() => window.Natter.open())
    await expect(chat.composer).toBeVisible()
    expect(errors).toEqual([])
  })
  await test.step('no bot id, and type="module"', async () => {
    const warnings = collectWarnings(page)
    await openPage(page, fakeSite, '<script src="/natter.js" data-botid="bot"></script>')
    await expect.poll(() => warnings.join()).toContain("the script's tag has no data-bot-id")
    await openPage(page, fakeSite, '<script type="module" src="/natter.js" data-bot-id="bot"></script>')
    await expect.poll(() => warnings.join()).toContain('remove type="module"')
  })
})

test('a script that is served without a charset speaks Japanese on a page in another charset', async ({
  page,
  fakeSite,
  chat,
}) => {
  for (const src of ['/natter.js', `/natter@${version}/natter.all.js`]) {
    const body = `<meta charset="windows-1252"><script src="${src}" data-bot-id="bot" data-locale="ja"></script>`
    expect(await openPage(page, fakeSite, body)).toEqual([])
    expect(await page.evaluate(() => document.characterSet)).toBe('windows-1252')
    await expect(chat.launcher).toHaveAccessibleName('チャット')
    await chat.launcher.click()
    await expect(chat.panel.getByRole('textbox')).toHaveAccessibleName('メッセージを入力')
    await page.unrouteAll()
  }
})

test('a page that has frozen Object.prototype before gets a warning why there is no chat, and nothing throws', async ({
  page,
  fakeSite,
  chat,
}) => {
  const warnings = collectWarnings(page)
  const freeze = '<script>Object.freeze(Object.prototype)</script>'
  const errors = await openPage(page, fakeSite, freeze + script())
  for (let attempt = 0; attempt < 2; attempt++) {
    await chat.launcher.click()
    await expect.poll(() => warnings.join()).toContain('has frozen Object.prototype')
    await expect(chat.launcher).toHaveAccessibleName('Couldn’t load the chat. Retry')
  }
  expect(warnings).toHaveLength(1)
  // The single file is not a module: in sloppy mode, failed assignments are ignored.
  await page.unrouteAll()
  errors.push(
    ...(await openPage(
      page,
      fakeSite,
      `${freeze}<script src="/natter@${version}/natter.all.js" data-bot-id="bot"></script>`,
    )),
  )
  await chat.open()
  await chat.say('Is anybody there?')
  expect(errors).toEqual([])
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

test('the attributes of an element are options', async ({ page, fakeSite }) => {
  await test.step('of the script tag: a boolean option is on as a bare attribute or `true`, and off as `false`', async () => {
    for (const [attribute, title] of [
      ['data-title-badge', '(1) Page'],
      ['data-title-badge="true"', '(1) Page'],
      ['data-title-badge="false"', 'Page'],
    ] as const) {
      const { token } = fakeSite.contact('Ada', 1)
      await openPage(page, fakeSite, script(attribute))
      await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
      await expect(page.locator('[part~=launcher]')).toHaveAccessibleName('Chat, 1 unread')
      await expect(page).toHaveTitle(title)
      await page.unrouteAll()
    }
  })
  await test.step('of <natter-chat>, which changes its language and theme without a new widget or a new login', async () => {
    const { token } = fakeSite.contact('Ada', 1)
    const warnings = collectWarnings(page)
    const element = '<natter-chat bot-id="bot" persist="memory" title-badge mode="floating"></natter-chat>'
    await openPage(page, fakeSite, `<script src="/natter.js"></script>${element}`)
    await expect(page.locator('[part~=launcher]')).toBeVisible()
    const chat = page.locator('natter-chat')
    await chat.evaluate(
      (element, token) => (element as NatterChatElement).widget?.auth.contacts.login({ token }),
      token,
    )
    await expect(page).toHaveTitle('(1) Page')
    const isSameWidget = await chat.evaluate(async element => {
      const { widget } = element as NatterChatElement
      element.setAttribute('locale', 'de')
      element.setAttribute('theme', 'dark')
      await null
      widget?.open()
      return widget === (element as NatterChatElement).widget
    })
    expect(isSameWidget).toBe(true)
    await expect(page.getByRole('dialog')).toContainText('Sie chatten als Ada')
    await expect.poll(() => warnings.join()).toContain('persist="memory"')
  })
})
