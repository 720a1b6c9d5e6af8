import { join } from 'node:path'
import { scale } from '../src/testScale.ts'
import { expect, Shop, test } from './fixtures.ts'
import { root } from './processes.ts'

const folder = join(root, 'out/screenshots')

const screens = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { name: 'phone-dark', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const

for (const { name, colorScheme, viewport } of screens.slice(0, scale.screens)) {
  test(`takes a screenshot of every state (${name})`, async ({ browser, site, platform }) => {
    const phone = viewport.width < 480
    const context = await browser.newContext({ colorScheme, viewport, hasTouch: phone, deviceScaleFactor: 2 })
    const page = await context.newPage()
    const shop = new Shop(page, site.url)
    const take = (state: string) =>
      page.screenshot({ path: join(folder, `${name}-${state}.png`), animations: 'disabled' })

    await shop.visit()
    await take('0-shop')
    await shop.chat.open()
    await expect(shop.chat.transcript).toContainText('What can I do for you?')
    await take('1-anonymous-empty')
    await shop.chat.ask('How do I return something?', /30 days/)
    await take('2-talking')
    if (phone) await shop.chat.composer.press('Escape')
    await shop.signIn('Ada')
    if (phone) await shop.chat.open()
    await shop.chat.ask('Where is my order?', /tracking link/)
    await take('3-identified')
    await context.setOffline(true)
    await shop.chat.send('Do you ship to Norway?')
    await expect(shop.chat.panel).toContainText('Waiting to send')
    await take('4-offline')
    await context.setOffline(false)
    // A reply that is still streaming moves the buttons below it away from the pointer.
    await expect(shop.chat.transcript).toContainText('nothing more is asked at the door.')
    await expect(shop.chat.transcript).toHaveAttribute('aria-busy', 'false')
    await page.route(`${platform.baseUrl}/**/messages`, route =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 400, json: {}, headers: { 'access-control-allow-origin': '*' } })
        : route.continue(),
    )
    await shop.chat.send('The parcel number is A-1042')
    await expect(shop.chat.panel).toContainText('Not sent.')
    await take('5-failed')
    await shop.chat.panel.getByRole('button', { name: 'Delete' }).click()
    await expect(shop.chat.panel).not.toContainText('Not sent.')
    await context.close()
  })
}
