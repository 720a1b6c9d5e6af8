import { button, collectErrors, log, press } from './demoPage.ts'
import { expect, Shop, test } from './fixtures.ts'

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
