import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { button } from './demoPage.ts'
import { expect, Shop, test } from './fixtures.ts'
import { root } from './processes.ts'

const folder = join(root, 'out/stills')

test.use({ viewport: { width: 1000, height: 700 }, deviceScaleFactor: 1.5, colorScheme: 'light' })

/** Takes a WebP image with Chromium's protocol. Playwright itself writes PNG, which is several times as large. */
async function takeStill(page: Page, name: string): Promise<void> {
  await page.evaluate(() => Promise.all(document.getAnimations().map(animation => animation.finished)))
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 75 })
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.webp`), Buffer.from(data, 'base64'))
}

test("takes the README's stills: sign in, switch person, revoke live", async ({ page, site }) => {
  const shop = new Shop(page, site.url)
  const { chat } = shop
  await shop.visit()
  await shop.signIn('Ada')
  await chat.open()
  await chat.ask('Where is my order?', /tracking link/)
  await takeStill(page, 'sign-in')

  await shop.signOut()
  await shop.signIn('Grace')
  await expect(chat.panel).toContainText('Chatting as Grace Hopper')
  await expect(chat.panel).not.toContainText('tracking link')
  await takeStill(page, 'switch-person')

  await chat.ask('Where is my order?', /tracking link/)
  await button(page, 'Revoke from the server').click()
  await expect(chat.panel).toContainText('Your session has ended.')
  await expect(chat.panel).not.toContainText('tracking link')
  await takeStill(page, 'revoke')
})
