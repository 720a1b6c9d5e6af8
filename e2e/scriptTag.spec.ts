import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { NatterChatElement } from 'natter/element'
import { expect, type FakeSite, test } from './fakeSite.ts'
import { root } from './processes.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const script = (attributes = '') => `<script src="/natter.js" data-bot-id="bot" ${attributes}></script>`

/** Opens a page of this body; what the page reports is noted. */
async function openPage(page: Page, fakeSite: FakeSite, body: string) {
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  const html = `<!doctype html><html lang="en"><head><title>Page</title></head><body>${body}</body></html>`
  await page.route(fakeSite.url(), route => route.fulfill({ contentType: 'text/html', body: html }))
  await page.goto(fakeSite.url())
  return errors
}

for (const [place, attributes, role] of [
  ['behind a launcher of the site’s own', 'data-launcher="#own"', 'dialog'],
  ['in a target', 'data-mode="inline" data-target="#target"', 'region'],
] as const) {
  test(`the script twice makes one chat ${place}`, async ({ page, fakeSite }) => {
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

test('the chat, its identity with it, comes into a body that takes the old one’s place', async ({
  page,
  fakeSite,
  chat,
}) => {
  const { token } = fakeSite.contact('Ada', 2)
  const errors = await openPage(page, fakeSite, `<h1>Page</h1>${script()}`)
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  // As Turbo goes back: to a clone of the body, whose scripts it runs anew.
  await page.evaluate(() => {
    const first = window.Natter
    const body = document.body.cloneNode(true) as HTMLBodyElement
    document.body.replaceWith(body)
    for (const old of body.querySelectorAll('script')) {
      const anew = document.createElement('script')
      for (const { name, value } of old.attributes) anew.setAttribute(name, value)
      old.replaceWith(anew)
    }
    Object.assign(window, { first })
  })
  await chat.open()
  await expect(chat.panel).toContainText('Chatting as Ada')
  expect(await page.evaluate(() => window.Natter === (window as never as { first: unknown }).first)).toBe(true)
  // Destroyed, it makes room for another.
  await page.evaluate(() => {
    window.Natter.destroy()
    const anew = document.createElement('script')
    Object.assign(anew, { src: '/natter.js' }).dataset['botId'] = 'bot'
    document.body.append(anew)
  })
  await expect(chat.panel).toHaveCount(0)
  await chat.open()
  expect(errors).toEqual([])
})

test('an inline chat, closed or failed before it was drawn, is a launcher that opens it', async ({
  page,
  fakeSite,
  chat,
}) => {
  const composer = page.getByRole('region').getByRole('textbox')
  const inline = `<div id="target" style="height:420px"></div>${script('data-mode="inline" data-target="#target"')}`
  await openPage(page, fakeSite, `${inline}<script>Natter.on('ready', () => Natter.close())</script>`)
  await chat.launcher.click()
  await expect(composer).toBeFocused()
  await page.route('**/panel-*.js*', route => route.abort())
  await openPage(page, fakeSite, inline)
  await expect(chat.launcher).toHaveAccessibleName('Chat could not be loaded. Retry')
  await page.unroute('**/panel-*.js*')
  await chat.launcher.click()
  await expect(composer).toBeFocused()
})

/** What the console warns of. */
function listenToWarnings(page: Page) {
  const warnings: string[] = []
  page.on('console', message => message.type() === 'warning' && warnings.push(message.text()))
  return warnings
}

test('a launcher that is no selector leaves ours in the page', async ({ page, fakeSite, chat }) => {
  const warnings = listenToWarnings(page)
  const errors = await openPage(page, fakeSite, script('data-launcher="#1help"'))
  await chat.open()
  await expect.poll(() => warnings.join()).toContain(`data-launcher can't be "#1help"`)
  expect(errors).toEqual([])
})

test('wrong options are explained, each once, and the chat is there with the defaults', async ({
  page,
  fakeSite,
  chat,
}) => {
  const warnings = listenToWarnings(page)
  const wrong = 'data-theme="drak" data-offset="20px" data-acent="#fff" data-launcher=".nowhere" data-turbo-track="x"'
  const errors = await openPage(page, fakeSite, script(wrong))
  await expect.poll(() => warnings.length).toBe(4)
  expect(warnings.join('\n')).toContain('data-theme can\'t be "drak". Write auto, light or dark.')
  expect(warnings.join('\n')).toContain('data-offset can\'t be "20px"')
  expect(warnings.join('\n')).toContain('Did you mean data-accent?')
  expect(warnings.join('\n')).toContain('No element of the page matches data-launcher ".nowhere" yet')
  await page.evaluate(() => window.Natter.open())
  await expect(chat.composer).toBeVisible()
  expect(errors).toEqual([])
})

test('right options ask for no explanation', async ({ page, fakeSite, chat }) => {
  const asked: string[] = []
  page.on('request', request => asked.push(request.url()))
  await openPage(page, fakeSite, script('data-theme="dark" data-offset="32" data-turbo-track="reload"'))
  await expect(chat.launcher).toBeVisible()
  await page.evaluate(() => window.Natter.ready)
  expect(asked.filter(url => url.includes('/natter@'))).toEqual([])
})

test('a tag without a bot id, and one of a module, say so', async ({ page, fakeSite }) => {
  const warnings = listenToWarnings(page)
  await openPage(page, fakeSite, '<script src="/natter.js" data-botid="bot"></script>')
  await expect.poll(() => warnings.join()).toContain('Did you mean data-bot-id?')
  await openPage(page, fakeSite, '<script type="module" src="/natter.js" data-bot-id="bot"></script>')
  await expect.poll(() => warnings.join()).toContain('remove type="module"')
})

test('a page that has frozen Object.prototype before is told why there is no chat, and nothing throws', async ({
  page,
  fakeSite,
  chat,
}) => {
  const warnings = listenToWarnings(page)
  const freeze = '<script>Object.freeze(Object.prototype)</script>'
  const errors = await openPage(page, fakeSite, freeze + script())
  for (let attempt = 0; attempt < 2; attempt++) {
    await chat.launcher.click()
    await expect.poll(() => warnings.join()).toContain('has frozen Object.prototype')
    await expect(chat.launcher).toHaveAccessibleName('Chat could not be loaded. Retry')
  }
  expect(warnings).toHaveLength(1)
  // The single file is no module, so what can't be assigned there is passed over.
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

test('the queueing snippet works in a page that has frozen Array.prototype', async ({ page, fakeSite, chat }) => {
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

test('the chat works after document.write() has replaced the page, and hears what other tabs do', async ({
  page,
  fakeSite,
  chat,
}) => {
  for (const again of ['', script()]) {
    const { token } = fakeSite.contact('Ada', 2)
    const errors = await openPage(page, fakeSite, `<h1>Page</h1>${script()}`)
    await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
    await chat.open()
    await page.evaluate(again => {
      document.open()
      document.write(`<!doctype html><html lang="en"><body><h1>Another</h1>${again}</body></html>`)
      document.close()
    }, again)
    await expect(page.locator('[data-natter]')).toHaveCount(1)
    await expect(chat.panel).toHaveCount(0)
    await chat.open()
    await expect(chat.panel).toContainText('Chatting as Ada')
    const other = await page.context().newPage()
    await other.goto(fakeSite.url())
    await other.evaluate(() => window.Natter.auth.contacts.logout())
    await expect(chat.panel).not.toContainText('Ada')
    await other.close()
    expect(errors).toEqual([])
    await page.unrouteAll()
  }
})

test('the launcher of a script in the head stays when the body is replaced, and hidden if the page has hidden it', async ({
  page,
  fakeSite,
  chat,
}) => {
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
    const again = document.createElement('script')
    Object.assign(again, { src: '/natter.js' }).dataset['botId'] = 'bot'
    document.body.append(again)
    return new Promise(resolve => again.addEventListener('load', resolve))
  })
  await expect(page.locator('[data-natter]')).toHaveCount(1)
  await expect(chat.launcher).toBeHidden()
  await page.evaluate(() => window.Natter.show())
  await expect(chat.launcher).toBeVisible()
})

test('an early call that is none stops none behind it', async ({ page, fakeSite, chat }) => {
  const early = `<script>window.Natter = { q: [null, ['open', []]] }</script>`
  const errors = await openPage(page, fakeSite, early + script())
  await expect(chat.composer).toBeFocused()
  expect(errors).toHaveLength(1)
})

test('a switch is on as a bare attribute and as `true`, and off as `false`', async ({ page, fakeSite }) => {
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

test('<natter-chat> speaks another language without beginning anew, and forgets nobody', async ({ page, fakeSite }) => {
  const { token } = fakeSite.contact('Ada', 1)
  const warnings: string[] = []
  page.on('console', message => message.type() === 'warning' && warnings.push(message.text()))
  const element = '<natter-chat bot-id="bot" persist="memory" title-badge mode="floating"></natter-chat>'
  await openPage(page, fakeSite, `<script src="/natter.js"></script>${element}`)
  await expect(page.locator('[part~=launcher]')).toBeVisible()
  const chat = page.locator('natter-chat')
  await chat.evaluate((element, token) => (element as NatterChatElement).widget?.auth.contacts.login({ token }), token)
  await expect(page).toHaveTitle('(1) Page')
  const same = await chat.evaluate(async element => {
    const { widget } = element as NatterChatElement
    element.setAttribute('locale', 'de')
    element.setAttribute('theme', 'dark')
    await null
    widget?.open()
    return widget === (element as NatterChatElement).widget
  })
  expect(same).toBe(true)
  await expect(page.getByRole('dialog')).toContainText('Sie chatten als Ada')
  expect(warnings.join()).toContain('persist="memory"')
})
