import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, Shop, test } from './fixtures.ts'
import { root } from './processes.ts'

const folder = join(root, 'out/screenshots')

interface Screen {
  name: string
  colorScheme: 'light' | 'dark'
  viewport: { width: number; height: number }
  /** The language of the chat and, if it is Arabic, the direction of the page. The shop itself is in English. */
  locale?: string
  forcedColors?: 'active'
  reducedMotion?: 'reduce'
}

const desktopSize = { width: 1280, height: 800 }
const phoneSize = { width: 390, height: 844 }
const smallPhoneSize = { width: 320, height: 568 }

/** The short form takes the first ones only. */
const screens: Screen[] = [
  { name: 'light', colorScheme: 'light', viewport: desktopSize },
  { name: 'phone-dark', colorScheme: 'dark', viewport: phoneSize },
  { name: 'dark', colorScheme: 'dark', viewport: desktopSize },
  { name: 'phone', colorScheme: 'light', viewport: phoneSize },
  { name: 'wide', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'wide-dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'small-phone', colorScheme: 'light', viewport: smallPhoneSize },
  { name: 'arabic', colorScheme: 'light', viewport: desktopSize, locale: 'ar' },
  { name: 'arabic-phone-dark', colorScheme: 'dark', viewport: phoneSize, locale: 'ar' },
  { name: 'german', colorScheme: 'dark', viewport: desktopSize, locale: 'de' },
  { name: 'german-small-phone', colorScheme: 'light', viewport: smallPhoneSize, locale: 'de' },
  { name: 'japanese', colorScheme: 'light', viewport: desktopSize, locale: 'ja' },
  { name: 'japanese-phone-dark', colorScheme: 'dark', viewport: phoneSize, locale: 'ja' },
  { name: 'forced-colors', colorScheme: 'light', viewport: desktopSize, forcedColors: 'active' },
  { name: 'forced-colors-phone-dark', colorScheme: 'dark', viewport: phoneSize, forcedColors: 'active' },
  { name: 'reduced-motion', colorScheme: 'light', viewport: desktopSize, reducedMotion: 'reduce' },
]

for (const { name, locale, viewport, ...media } of screens) {
  test(`takes a screenshot of every state (${name})`, async ({ browser, site, platform, client }) => {
    const phone = viewport.width < 480
    const context = await browser.newContext({ ...media, viewport, hasTouch: phone, deviceScaleFactor: 2 })
    const page = await context.newPage()
    const shop = new Shop(page, site.url)
    /** The chat speaks the language of the screen for the picture only, so that the steps find its English names. */
    const take = async (state: string) => {
      if (locale) await setLanguage(page, locale)
      // Reduced motion itself has to stop what moves.
      const animations = media.reducedMotion ? 'allow' : 'disabled'
      await page.screenshot({ path: join(folder, `${name}-${state}.png`), animations })
      if (locale) await setLanguage(page, 'en')
    }

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
    // The next screen begins without messages, too.
    for await (const { id } of client.contacts.search()) await client.contacts.delete(id)
  })
}

async function setLanguage(page: Page, locale: string): Promise<void> {
  await page.evaluate(locale => {
    document.documentElement.dir = locale === 'ar' ? 'rtl' : 'ltr'
    window.Natter.setLocale(locale)
  }, locale)
  const panel = page.locator('[part~="panel"]')
  if (await panel.isVisible()) await expect(panel.locator('> [lang]')).toHaveAttribute('lang', new RegExp(`^${locale}`))
}
