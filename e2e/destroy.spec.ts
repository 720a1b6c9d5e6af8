import { activeResources, trackActiveResources } from './activeResources.ts'
import { expectNothingLeftBehind, loadWithoutWidget, markupAndGlobals, tag } from './destroyedWidget.ts'
import { Chat, expect, test } from './fakeSite.ts'
import { openHtmlPage } from './htmlPage.ts'

test('destroy() leaves nothing behind of a widget in the corner', ({ browser, platform, client }) =>
  expectNothingLeftBehind(browser, platform, client, {
    attributes: '',
    body: '<p>Page</p>',
    open: page => new Chat(page).open(),
  }))

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
