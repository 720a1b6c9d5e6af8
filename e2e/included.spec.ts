import type { Page } from '@playwright/test'
import type { NatterChatElement } from 'natter/element'
import { expect, type Stage, test } from './stage.ts'

const script = (attributes = '') => `<script src="/natter.js" data-bot-id="bot" ${attributes}></script>`

/** Opens a page of this body; what the page reports is noted. */
async function openPage(page: Page, stage: Stage, body: string) {
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  const html = `<!doctype html><html lang="en"><head><title>Page</title></head><body>${body}</body></html>`
  await page.route(stage.url(), route => route.fulfill({ contentType: 'text/html', body: html }))
  await page.goto(stage.url())
  return errors
}

for (const [place, attributes, role] of [
  ['behind a launcher of the site’s own', 'data-launcher="#own"', 'dialog'],
  ['in a target', 'data-mode="inline" data-target="#target"', 'region'],
] as const) {
  test(`the script twice makes one chat ${place}`, async ({ page, stage }) => {
    const own = '<button id="own">Help</button><div id="target" style="height:400px"></div>'
    const errors = await openPage(page, stage, own + script(attributes) + script(attributes))
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
  stage,
  chat,
}) => {
  const { token } = stage.contact('Ada', 2)
  const errors = await openPage(page, stage, `<h1>Page</h1>${script()}`)
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
  stage,
  chat,
}) => {
  const composer = page.getByRole('region').getByRole('textbox')
  const inline = `<div id="target" style="height:420px"></div>${script('data-mode="inline" data-target="#target"')}`
  await openPage(page, stage, `${inline}<script>Natter.on('ready', () => Natter.close())</script>`)
  await chat.launcher.click()
  await expect(composer).toBeFocused()
  await page.route('**/panel-*.js*', route => route.abort())
  await openPage(page, stage, inline)
  await expect(chat.launcher).toHaveAccessibleName('Chat could not be loaded. Retry')
  await page.unroute('**/panel-*.js*')
  await chat.launcher.click()
  await expect(composer).toBeFocused()
})

test('a launcher that is no selector leaves ours in the page', async ({ page, stage, chat }) => {
  const errors = await openPage(page, stage, script('data-launcher="#1help"'))
  await chat.open()
  expect(errors.join()).toContain('#1help')
})

test('an early call that is none stops none behind it', async ({ page, stage, chat }) => {
  const early = `<script>window.Natter = { q: [null, ['open', []]] }</script>`
  const errors = await openPage(page, stage, early + script())
  await expect(chat.composer).toBeFocused()
  expect(errors).toHaveLength(1)
})

test('a switch is on as a bare attribute and as `true`, and off as `false`', async ({ page, stage }) => {
  for (const [attribute, title] of [
    ['data-title-badge', '(1) Page'],
    ['data-title-badge="true"', '(1) Page'],
    ['data-title-badge="false"', 'Page'],
  ] as const) {
    const { token } = stage.contact('Ada', 1)
    await openPage(page, stage, script(attribute))
    await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
    await expect(page.locator('[part~=launcher]')).toHaveAccessibleName('Chat, 1 unread')
    await expect(page).toHaveTitle(title)
    await page.unrouteAll()
  }
})

test('<natter-chat> speaks another language without beginning anew, and forgets nobody', async ({ page, stage }) => {
  const { token } = stage.contact('Ada', 1)
  const warnings: string[] = []
  page.on('console', message => message.type() === 'warning' && warnings.push(message.text()))
  const element = '<natter-chat bot-id="bot" persist="memory" title-badge mode="floating"></natter-chat>'
  await openPage(page, stage, `<script src="/natter.js"></script>${element}`)
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
