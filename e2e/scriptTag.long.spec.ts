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
  await test.step('valid options load nothing more', async () => {
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
    await expect.poll(() => warnings.join()).toContain('The option `launcher` has a wrong value')
    expect(errors).toEqual([])
  })
  await test.step('invalid options: the chat uses the defaults', async () => {
    const warnings = collectWarnings(page)
    const wrong = 'data-theme="drak" data-offset="20px" data-acent="#fff" data-launcher=".nowhere" data-turbo-track="x"'
    const errors = await openPage(page, fakeSite, script(wrong))
    await expect.poll(() => warnings.length).toBe(3)
    expect(warnings.join('\n')).toMatch(/`theme` has a wrong value\. See http\S+\/docs\/widget#options/)
    expect(warnings.join('\n')).toContain('The option `offset` has a wrong value')
    expect(warnings.join('\n')).toContain('No element of the page matches the option `launcher`')
    await page.evaluate(() => window.Natter.open())
    await expect(chat.composer).toBeVisible()
    expect(errors).toEqual([])
  })
  await test.step('no bot id, and type="module"', async () => {
    const warnings = collectWarnings(page)
    await openPage(page, fakeSite, '<script src="/natter.js" data-botid="bot"></script>')
    await expect.poll(() => warnings.join()).toContain("the script's tag has no `data-bot-id`")
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
    await expect.poll(() => warnings[attempt]).toContain('has frozen `Object.prototype`')
    await expect(chat.launcher).toHaveAccessibleName('Couldn’t load the chat. Retry')
  }
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
