import { findViolations } from './axe.ts'
import { button, collectErrors, log, press, tab } from './demoPage.ts'
import { expect, Shop, test } from './fixtures.ts'
import { runCli } from './processes.ts'

test('a guest who asks for a person is answered from the desk to which the control panel links', async ({
  shop,
  page,
  platform,
}) => {
  await shop.visit()
  await shop.chat.open()
  await press(button(page, 'Talk to a person'))
  await expect(shop.chat.transcript).toContainText('We’ve let the team know.')
  const { organizationId } = JSON.parse(runCli(platform, 'bot', 'show', platform.botId, '--json')) as {
    organizationId: string
  }
  const { baseUrl } = platform
  const team = ['--organization', organizationId, '--base-url', baseUrl]
  const invitation = runCli(platform, 'desk', 'invite', 'nora@acme.example', '--admin', ...team)
  const opened = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'answer as Nora' }).click()
  const desk = await opened
  await expect(desk.getByRole('button', { name: 'Sign in' })).toBeVisible()
  await desk.goto(invitation)
  await desk.getByLabel('Your name').fill('Nora')
  await desk.getByLabel('Password').fill('correct horse battery')
  await desk.getByRole('button', { name: 'Join' }).click()
  await desk
    .getByRole('region', { name: 'Conversations' })
    .getByRole('link', { name: /^Guest/ })
    .last()
    .click()
  await desk.getByRole('log').waitFor()
  await desk.keyboard.press('r')
  await desk.keyboard.type('Hello, Nora here.')
  await desk.keyboard.press('ControlOrMeta+Enter')
  await expect(shop.chat.transcript).toContainText('Nora joined')
  await expect(shop.chat.panel.getByRole('heading', { name: 'Nora' })).toBeVisible()
})

test('the control panel switches appearance, language, network and session, and keeps them in the URL', async ({
  shop,
  page,
}) => {
  const { chat } = shop
  await shop.visit()
  await tab(page, 'Session').press('End')
  await tab(page, 'States').press('ArrowLeft')
  /** Each choice reloads the page, which keeps the focus on the chosen link. */
  const choose = async (group: string, name: string) => {
    const link = page.getByRole('list', { name: group }).getByRole('link', { name })
    await press(link)
    await expect(link).toHaveAttribute('aria-current', 'true')
    await expect(link).toBeFocused()
  }
  await choose('Theme', 'Dark')
  await page.getByLabel('Language').selectOption('العربية')
  await choose('Position', 'Start')
  expect(new URL(page.url()).search).toBe('?theme=dark&locale=ar&position=start')
  expect((await chat.launcher.boundingBox())?.x).toBeLessThan(100)
  await chat.open()
  await expect(chat.panel).toHaveCSS('background-color', 'rgb(21, 23, 28)')
  await expect(chat.composer).toHaveAttribute('placeholder', 'اكتب رسالة')
  // The language changes immediately while the chat is open.
  await page.getByLabel('Language').selectOption('English')
  await expect(chat.composer).toHaveAttribute('placeholder', 'Write a message')
  const network = page.getByLabel('Network')
  await network.selectOption('Offline')
  await expect(chat.panel).toContainText('You’re offline')
  await chat.send('Written offline')
  await expect(chat.panel).toContainText('Waiting to send')
  await network.selectOption('As it is')
  await expect(chat.panel).toContainText('Sent')

  // The shop is asked for another token, and the conversation continues.
  await tab(page, 'Session').click()
  await press(button(page, 'Sign in as Ada'))
  await expect(shop.state).toHaveText('identified as Ada Lovelace')
  await chat.say('Before it expires')
  // The control panel shows only the beginning of a token, which could be the same.
  const storedToken = () => page.evaluate(() => /c:[0-9a-f]{64}/.exec(JSON.stringify({ ...localStorage }))?.[0])
  const expired = await storedToken()
  await press(button(page, 'Expire'))
  await expect.poll(storedToken).not.toBe(expired)
  await chat.say('After it has expired')
  await expect(shop.state).toHaveText('identified as Ada Lovelace')
  await expect(chat.transcript).toContainText('Before it expires')
  await press(button(page, 'Sign out'))

  await tab(page, 'Switches').click()
  await choose('Kept in', 'Memory')
  await choose('Mode', 'Inline')
  await expect(page.locator('#chat [part~="panel"]')).toBeVisible()
  await shop.signIn('Ada')
  await expect(page.locator('[data-token]')).toHaveText('in memory only')
  expect(await page.evaluate(() => Object.values(localStorage).join())).not.toContain('c:')
})

test('axe finds no violation in the open panel and the demo, light or dark, and the demo links to the documentation', async ({
  shop,
  page,
  platform,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await shop.visit()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await findViolations(page, { colors: colorScheme === 'dark' }), `signed out, ${colorScheme}`).toEqual([])
  }
  await shop.signIn('Ada')
  await shop.chat.open()
  await shop.chat.ask('Where is my order?', /tracking link/)
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await findViolations(page, { colors: colorScheme === 'dark' }), `with an open chat, ${colorScheme}`).toEqual(
      [],
    )
  }
  await shop.chat.composer.press('Escape')
  await tab(page, 'States').click()
  expect(await findViolations(page), 'States').toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await tab(page, 'Switches').click()
  expect(await findViolations(page), 'Switches').toEqual([])
  await page.goto(`${shop.address}/spa/orders`)
  await expect(page.getByTestId('session-state')).toContainText('Ada')
  expect(await findViolations(page), 'the app').toEqual([])

  await test.step('the demo links to the documentation of its platform', async () => {
    await page.setViewportSize({ width: 1280, height: 720 })
    await shop.visit()
    await page.getByRole('link', { name: 'documentation' }).click()
    await expect(page).toHaveURL(`${platform.baseUrl}/docs`)
    await expect(page.getByRole('heading', { name: 'Natter', level: 1 })).toBeVisible()
  })
})

test('the control panel signs in and out, also in a second tab, and ends the session on the server in each way', async ({
  shop,
  page,
  context,
}) => {
  const token = page.locator('[data-token]')
  await shop.visit()
  await expect(button(page, 'Expire')).toBeDisabled()
  const opened = context.waitForEvent('page')
  await press(button(page, 'Open a second tab'))
  const second = new Shop(await opened, shop.address)
  await expect(second.chat.launcher).toBeVisible()
  await page.bringToFront()
  await shop.chat.open()
  for (const [name, says] of [
    ['Revoke from the server', 'Your session has ended.'],
    ['Sign out everywhere', 'Your session has ended.'],
    ['Delete the contact', 'This conversation has been deleted.'],
  ] as const) {
    await press(button(page, 'Sign in as Ada'))
    await expect(second.state).toHaveText('identified as Ada Lovelace')
    await expect(token).toHaveText(/^c:[0-9a-f]{4}•{10}$/)
    await press(button(page, name))
    await expect(shop.chat.panel).toContainText(says)
    for (const { state } of [shop, second]) await expect(state).toHaveText('anonymous')
    await expect(token).toHaveText('none')
  }
  await press(button(page, 'Sign in as Grace'))
  await expect(second.state).toHaveText('identified as Grace Hopper')
  await expect(second.page.locator('[data-shop]')).toHaveText('Grace Hopper signed in')
  await press(button(page, 'Sign out'))
  for (const each of [shop, second]) {
    await expect(each.state).toHaveText('anonymous')
    await expect(each.page.locator('[data-shop]')).toHaveText('nobody signed in')
  }
  await expect(button(page, 'Sign out')).toBeDisabled()

  // When the buttons of the bar change, the keyboard focus stays in place.
  const bar = page.getByRole('banner')
  await bar.getByRole('button', { name: 'Sign in as Ada' }).press('Enter')
  await expect(bar.getByRole('button', { name: 'Sign out' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(bar.getByRole('button', { name: 'Sign in as Ada' })).toBeFocused()

  await test.step("the next page load logs the chat out once the shop's session has expired", async () => {
    await page.reload()
    await expect(button(page, 'Let the shop’s session expire')).toBeDisabled()
    await shop.signIn('Ada')
    await press(button(page, 'Let the shop’s session expire'))
    await expect(log(page)).toContainText('POST /api/expire-session204')
    await page.reload()
    await expect(shop.state).toHaveText('anonymous')
    await expect(page.locator('[data-token]')).toHaveText('none')
    await expect(page.locator('[data-shop]')).toHaveText('nobody signed in')
    await expect(log(page)).toContainText(/POST \/api\/contact-token401asked by the chat, session cookie/)
    await expect(log(page)).toContainText('auth: anonymouslogout')
  })
})

test('the log shows who calls whom, and that the organization token stays on the server', async ({
  shop,
  page,
  platform,
}) => {
  const errors = collectErrors(page)
  const origins = new Set<string>()
  page.on('request', request => origins.add(new URL(request.url()).origin))
  await shop.visit()
  await shop.signIn('Ada')
  await shop.chat.open()
  await shop.chat.ask('How do I return something?', /30 days/)
  for (const line of [
    /Browser to shop:.*POST \/api\/sign-in.*200.*session cookie/,
    /Browser to shop:.*POST \/api\/contact-token.*200.*asked by the chat, session cookie/,
    /Shop to platform:.*PUT …\/auth\/contacts.*organization token/,
    /Browser to platform:.*POST …\/widget\/session\/retrieve.*200.*contact token/,
    /Widget event:.*auth: identified.*login/,
  ]) {
    await expect(log(page).getByRole('listitem').filter({ hasText: line })).not.toHaveCount(0)
  }
  await expect(page.locator('[data-searched]')).toHaveText(/^0 of [1-9]\d*$/)
  expect(await log(page).textContent()).not.toMatch(/[cvo][:_][\w-]{20}/)

  await page.getByLabel('Calls').uncheck()
  await expect(log(page).getByText('auth: identified')).toBeVisible()
  await expect(log(page).getByText('POST /api/contact-token').first()).toBeHidden()
  await page.getByLabel('Events').uncheck()
  await expect(log(page).getByRole('listitem')).toHaveCount(0)
  await button(page, 'Clear').click()
  await expect(log(page)).toBeEmpty()

  // Check that the search really finds a token.
  await page.evaluate(() => fetch(`/?token=o_${'x'.repeat(43)}`))
  await expect(page.locator('[data-searched]')).toHaveText(/^1 of /)
  expect([...origins].sort()).toEqual([shop.address, new URL(platform.baseUrl).origin].sort())
  expect(errors).toEqual([])
})
