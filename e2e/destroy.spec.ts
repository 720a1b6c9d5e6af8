import type { Page } from '@playwright/test'
import { activeResources, trackActiveResources } from './activeResources.ts'
import { Chat, expect, test } from './fakeSite.ts'
import { openHtmlPage } from './htmlPage.ts'
import type { Platform } from './processes.ts'

const tag = ({ baseUrl, botId }: Platform, attributes = '') =>
  `<script src="${baseUrl}/natter.js" data-bot-id="${botId}" ${attributes}></script>`

/** The page's markup and the names of its globals. */
const markupAndGlobals = (page: Page) =>
  page.evaluate(() => ({ markup: document.documentElement.outerHTML, globals: Object.keys(window).sort() }))

/** The page's markup and globals with an empty widget script. */
async function loadWithoutWidget(page: Page, html: string) {
  await page.route('**/natter.js', route => route.fulfill({ body: '', contentType: 'text/javascript' }))
  await openHtmlPage(page, html)
  const found = await markupAndGlobals(page)
  expect(await activeResources(page)).toEqual([])
  await page.unrouteAll()
  return found
}

const modes: Record<string, { attributes: string; body: string; open(page: Page): Promise<void> }> = {
  'in the corner': {
    attributes: '',
    body: '<p>Page</p>',
    open: page => new Chat(page).open(),
  },
  'in a target': {
    attributes: 'data-mode="inline" data-target="#chat"',
    body: '<div id="chat" style="height:480px"></div>',
    open: page => expect(page.getByRole('textbox')).toBeVisible(),
  },
  "behind the site's own launcher": {
    attributes: 'data-launcher=".help"',
    body: '<button class="help">Help</button>',
    open: page => page.locator('.help').click(),
  },
}

test('destroy() leaves nothing behind of a widget in the corner, in a target, or behind the site’s own launcher', async ({
  browser,
  platform,
  client,
}) => {
  for (const [name, { attributes, body, open }] of Object.entries(modes)) {
    await test.step(name, async () => {
      const context = await browser.newContext()
      const page = await context.newPage()
      await trackActiveResources(page)
      const html = body + tag(platform, attributes)
      const before = await loadWithoutWidget(page, html)
      await openHtmlPage(page, html)
      await open(page)
      await page.getByRole('textbox').fill('How do I return something?')
      await page.getByRole('textbox').press('Enter')
      await expect(page.getByRole('log')).toContainText(/30 days/)
      const email = `${crypto.randomUUID()}@example.com`
      await client.contacts.create({ name: 'Ada Lovelace', email })
      const { token } = await client.contactTokens.create({ email })
      await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)

      // The second tab synchronises with the first over a BroadcastChannel.
      const second = await page.context().newPage()
      await trackActiveResources(second)
      await second.goto(page.url())
      await open(second)
      await expect(second.getByText('Chatting as Ada Lovelace')).toBeVisible()
      const busy = async () => [...(await activeResources(page)), ...(await activeResources(second))].join()
      for (const each of ['storage of Window', 'lock natter:', 'BroadcastChannel', 'IndexedDB', 'request'])
        await expect.poll(busy).toContain(each)

      for (const each of [page, second]) {
        await each.evaluate(() => window.Natter.destroy())
        await expect.poll(() => markupAndGlobals(each)).toEqual(before)
      }
      for (const each of [page, second]) await expect.poll(() => activeResources(each)).toEqual([])
      await context.close()
    })
  }
})

test('destroy() at any moment while opening leaves nothing behind', async ({ page, platform }) => {
  await trackActiveResources(page)
  const html = '<p>Page</p>'
  const before = await loadWithoutWidget(page, html + tag(platform))
  for (const ms of [0, 5, 10, 20, 40, 80, 160]) {
    await openHtmlPage(page, html + tag(platform))
    await page.evaluate(async ms => {
      window.Natter.open()
      const login = window.Natter.auth.contacts.login({ token: `c:${'a'.repeat(64)}` })
      // The login is rejected with `superseded`, unless the platform has refused it first.
      if (ms) await new Promise(done => setTimeout(done, ms))
      window.Natter.destroy()
      await login.catch(() => {})
    }, ms)
    await expect.poll(() => markupAndGlobals(page)).toEqual(before)
    await expect.poll(() => activeResources(page)).toEqual([])
  }
})

test('destroy() in an event handler leaves nothing behind, also when the chat covers the screen', async ({
  page,
  fakeSite,
}) => {
  await trackActiveResources(page)
  await page.setViewportSize({ width: 400, height: 700 })
  const { token, messages } = fakeSite.contact('Ada', 0)
  await page.route('**/natter.js', route => route.fulfill({ body: '', contentType: 'text/javascript' }))
  await page.goto(fakeSite.url())
  const before = await markupAndGlobals(page)
  await page.unrouteAll()
  await page.addInitScript(() => {
    const noop = () => {}
    const on = ['on', [location.hash.slice(1), () => window.Natter.destroy()], noop, noop]
    Object.assign(window, { Natter: { q: [on] } })
  })
  for (const event of ['ready', 'open', 'auth', 'unread', 'message', 'close'] as const) {
    await page.evaluate(event => Object.assign(location, { hash: event }), event)
    await page.reload()
    await page.evaluate(
      async ([event, token]) => {
        const { Natter } = window
        if (event === 'ready') return
        await Natter.auth.contacts.login({ token }).catch(() => {})
        if (event === 'message') Natter.message({ text: 'Hello' })
        if (event === 'close') Natter.on('open', Natter.close)
        if (event !== 'unread') Natter.open()
      },
      [event, token] as const,
    )
    if (event === 'unread') {
      await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
      fakeSite.platform.say(messages, { text: 'Are you there?' })
    }
    await expect.poll(() => markupAndGlobals(page), event).toEqual(before)
    await expect.poll(() => activeResources(page), event).toEqual([])
    await page.evaluate(() => localStorage.clear())
  }
})
