import AxeBuilder from '@axe-core/playwright'
import { button, complaintsOf, log, tab, ways } from './demoPage.ts'
import { expect, Shop, test } from './fixtures.ts'
import { startSite } from './processes.ts'

for (const [way, press] of Object.entries(ways)) {
  test.describe(`the demo's control panel, by ${way}`, () => {
    test('signs in and out, and shows what the browser keeps of it', async ({ shop, page }) => {
      await shop.visit()
      const token = page.locator('[data-token]')
      await press(button(page, 'Sign in as Ada'))
      await expect(shop.state).toHaveText('identified as Ada Lovelace')
      await expect(token).toHaveText(/^c:[0-9a-f]{4}•{10}$/)
      await press(button(page, 'Sign in as Grace'))
      await expect(shop.state).toHaveText('identified as Grace Hopper')
      await press(button(page, 'Sign out'))
      await expect(shop.state).toHaveText('anonymous')
      await expect(token).toHaveText('none')
      await expect(page.locator('[data-shop]')).toHaveText('nobody signed in')
      for (const name of ['Sign out', 'Revoke from the server', 'Expire']) {
        await expect(button(page, name)).toBeDisabled()
      }
    })

    test('opens a second tab, and ends the session of both from the server in each way', async ({ shop, context }) => {
      test.slow()
      const { page } = shop
      await shop.visit()
      const opened = context.waitForEvent('page')
      await press(button(page, 'Open a second tab'))
      const second = new Shop(await opened, shop.address)
      await expect(second.chat.launcher).toBeVisible()
      await page.bringToFront()
      await shop.chat.open()
      for (const [name, says] of [
        ['Revoke from the server', 'You have been signed out.'],
        ['Sign out everywhere', 'You have been signed out.'],
        ['Expire', 'Your session has expired.'],
        ['Delete the contact', 'This conversation has been deleted.'],
      ] as const) {
        await press(button(page, 'Sign in as Ada'))
        await expect(shop.state).toHaveText('identified as Ada Lovelace')
        await expect(second.state).toHaveText('identified as Ada Lovelace')
        await press(button(page, name))
        await expect(shop.chat.panel).toContainText(says)
        await expect(shop.state).toHaveText('anonymous')
        await expect(second.state).toHaveText('anonymous')
      }
    })

    test('writes as an agent, takes over from the bot and hands back', async ({ shop, page }) => {
      await shop.visit()
      await shop.signIn('Grace')
      await shop.chat.open()
      await press(tab(page, 'People'))
      await page.getByLabel('Nora of the shop writes').fill('A parcel is on its way.')
      await press(button(page, 'Take over'))
      await expect(shop.chat.transcript).toContainText('A parcel is on its way.')
      await shop.chat.say('Which sizes do you have?')
      await press(button(page, 'Hand back'))
      await expect(log(page)).toContainText(/handBack|messages/)
      await press(button(page, 'A question'))
      await expect(shop.chat.transcript).toContainText('30 days')
      await page.getByLabel('Nora of the shop writes').fill('Anything else?')
      await press(button(page, 'Write'))
      await expect(shop.chat.transcript).toContainText('Anything else?')
      // While the agent had it, the bot said nothing.
      await expect(shop.chat.transcript).not.toContainText('EU 36')
    })

    test('switches theme, position and network, and keeps them in the address', async ({ shop, page }) => {
      await shop.visit()
      const { chat } = shop
      const choose = async (name: string) => {
        await press(page.getByRole('tabpanel').getByRole('link', { name, exact: true }))
        await expect(page.getByRole('link', { name, exact: true })).toBeFocused()
        await expect(chat.launcher).toBeVisible()
      }
      await press(tab(page, 'Switches'))
      await choose('Dark')
      await choose('Start')
      expect(new URL(page.url()).search).toBe('?theme=dark&position=start')
      await expect(page.locator('script#natter')).toHaveAttribute('data-position', 'start')
      expect((await chat.launcher.boundingBox())?.x).toBeLessThan(100)
      await chat.open()
      await expect(chat.panel).toHaveCSS('background-color', 'rgb(21, 23, 28)')

      const network = page.getByLabel('Network')
      await network.selectOption('Offline')
      await expect(chat.panel).toContainText('You’re offline')
      await chat.send('Written offline')
      await expect(chat.panel).toContainText('Waiting to send')
      await network.selectOption('As it is')
      await expect(chat.panel).toContainText('Sent')
      await choose('Light')
      await choose('End')
      await chat.open()
      await expect(chat.panel).toHaveCSS('background-color', 'rgb(255, 255, 255)')
    })
  })
}

for (const [way, press] of Object.entries(ways)) {
  test(`a switch makes the chat a part of the page, and a floating one again, by ${way}`, async ({ shop, page }) => {
    await shop.visit()
    await press(tab(page, 'Switches'))
    const inline = page.locator('#chat [part~="panel"]')
    await expect(inline).toHaveCount(0)
    await press(page.getByRole('link', { name: 'Inline', exact: true }))
    await expect(inline).toBeVisible()
    await press(page.getByRole('link', { name: 'Floating', exact: true }))
    await expect(inline).toHaveCount(0)
    await expect(shop.chat.launcher).toBeVisible()
  })
}

test('the arrow keys go through the tabs, and the keyboard keeps its place on the page', async ({ shop, page }) => {
  await shop.visit()
  await tab(page, 'Session').press('ArrowRight')
  await expect(tab(page, 'People')).toBeFocused()
  await expect(page.getByRole('tabpanel', { name: 'People' })).toBeVisible()
  await expect(page.getByRole('tabpanel')).toHaveCount(1)
  await tab(page, 'People').press('End')
  await expect(tab(page, 'States')).toBeFocused()
  await tab(page, 'States').press('ArrowRight')
  await expect(tab(page, 'Session')).toBeFocused()
  const account = page.getByRole('banner')
  await account.getByRole('button', { name: 'Sign in as Ada' }).press('Enter')
  await expect(account.getByRole('button', { name: 'Sign out' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(account.getByRole('button', { name: 'Sign in as Ada' })).toBeFocused()
})

test('the log tells who speaks to whom, and that the organization token stays on the server', async ({
  shop,
  page,
}) => {
  await shop.visit()
  await shop.signIn('Ada')
  await shop.chat.open()
  for (const line of [
    /Browser to shop:.*POST \/api\/chat-token.*200.*session cookie/,
    /Shop to platform:.*PUT …\/auth\/contacts.*organization token/,
    /Browser to platform:.*GET …\/widget\/session.*200.*contact token/,
    /Widget event:.*auth: identified.*login/,
  ]) {
    await expect(log(page).getByRole('listitem').filter({ hasText: line })).not.toHaveCount(0)
  }
  await expect(page.locator('[data-searched]')).toHaveText(/^0 of [1-9]\d*$/)
  expect(await log(page).textContent()).not.toMatch(/[cvo][:_][\w-]{20}/)

  await page.getByLabel('Calls').uncheck()
  await expect(log(page).getByText('auth: identified')).toBeVisible()
  await expect(log(page).getByText('POST /api/chat-token')).toBeHidden()
  await page.getByLabel('Events').uncheck()
  await expect(log(page).getByRole('listitem')).toHaveCount(0)
  await button(page, 'Clear').click()
  await expect(log(page)).toBeEmpty()

  // The search does find one.
  await page.evaluate(() => fetch(`/?token=o_${'x'.repeat(43)}`))
  await expect(page.locator('[data-searched]')).toHaveText(/^1 of /)
})

test("the demo's own bot shows off its Markdown", async ({ page }) => {
  const site = await startSite()
  try {
    const shop = new Shop(page, site.url)
    await shop.visit()
    await tab(page, 'People').click()
    await button(page, 'With Markdown').click()
    await expect(shop.chat.transcript).toContainText('Airing it overnight is often enough.')
    await expect(shop.chat.transcript).toHaveAttribute('aria-busy', 'false', { timeout: 15_000 })
    await expect(shop.chat.transcript.locator('a[href^="javascript"]')).toHaveCount(0)
  } finally {
    await site.stop()
  }
})

const screens = [
  { colorScheme: 'light', width: 1280, tabs: ['People', 'Switches', 'States'], views: ['orders'] },
  { colorScheme: 'dark', width: 390, tabs: ['Switches', 'States'], views: ['sign-in'] },
] as const
for (const { colorScheme, width, tabs, views } of screens) {
  test(`axe finds nothing on the tabs and in the single-page app (${colorScheme}, ${width})`, async ({
    shop,
    page,
  }) => {
    test.slow()
    const findings = async () => (await new AxeBuilder({ page }).analyze()).violations
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 844 })
    await shop.visit()
    await shop.signIn('Ada')
    for (const name of tabs) {
      await tab(page, name).click()
      expect(await findings(), name).toEqual([])
    }
    for (const view of views) {
      await page.goto(`${shop.address}/spa/${view}`)
      await expect(page.getByTestId('session-state')).toContainText('Ada')
      expect(await findings(), view).toEqual([])
    }
  })
}

test('the shop and its single-page app ask nobody else and report no violation', async ({ shop, page, platform }) => {
  const complaints = complaintsOf(page)
  const asked = new Set<string>()
  page.on('request', request => asked.add(new URL(request.url()).origin))
  for (const path of ['/', '/spa/']) {
    await page.goto(shop.address + path)
    await shop.chat.open()
    await shop.chat.ask('How do I return something?', /30 days/)
  }
  expect([...asked].sort()).toEqual([shop.address, new URL(platform.baseUrl).origin].sort())
  expect(complaints).toEqual([])
})
