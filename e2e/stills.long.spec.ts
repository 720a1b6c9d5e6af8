import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { button } from './demoPage.ts'
import { Desk } from './deskPage.ts'
import { expect, Shop, test } from './fixtures.ts'
import { root, runCli } from './processes.ts'

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

test("takes the pictures of the desk's guide: answer, saved replies, the bot", async ({
  page,
  browser,
  site,
  platform,
  otherBrowser,
}) => {
  const shop = new Shop(page, site.url)
  await shop.visit()
  await shop.signIn('Ada')
  await shop.chat.open()
  await shop.chat.ask('Where is my order?', /tracking link/)
  await shop.chat.ask('The tracking link says nothing since Monday. Can somebody have a look?', /\S/)
  const other = await otherBrowser()
  await other.visit()
  await other.chat.open()
  await other.chat.ask('How do I return something?', /30 days/)

  const { organizationId } = JSON.parse(runCli(platform, 'bot', 'show', platform.botId, '--json')) as {
    organizationId: string
  }
  const nora = await Desk.join(browser, { platform, botId: platform.botId, organizationId }, 'Nora', '--admin')
  const { page: desk } = nora
  await desk.setViewportSize({ width: 1280, height: 800 })
  await desk.goto(`${platform.baseUrl}/desk/saved`)
  for (const [title, text] of [
    ['Parcel is late', 'Hello {{name|there}}, I am sorry that it takes so long. I am asking our carrier.'],
    ['Parcel is on its way', 'Good news, {{name|there}}: your parcel left our warehouse today.'],
  ] as const) {
    await desk.getByRole('button', { name: 'New saved reply' }).click()
    await desk.getByLabel('Title').fill(title)
    await desk.getByLabel('Text').fill(text)
    await desk.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(desk.getByRole('dialog')).toHaveCount(0)
  }
  await nora.open('Ada Lovelace')
  await nora.press('n')
  await desk.keyboard.type('The carrier has lost two parcels this week.')
  await desk.keyboard.press('ControlOrMeta+Enter')
  await expect(nora.log).toContainText('lost two parcels')
  await nora.press('r')
  await desk.keyboard.type('I am having a look, Ada.')
  await desk.keyboard.press('ControlOrMeta+Enter')
  await expect(shop.chat.transcript).toContainText('I am having a look')
  await expect(nora.log).toContainText('Seen')
  await takeStill(desk, 'answer')
  await desk.keyboard.type('/parc')
  await expect(desk.getByRole('listbox')).toBeVisible()
  await takeStill(desk, 'saved-replies')
  await desk.goto(`${platform.baseUrl}/desk/bots`)
  await expect(desk.getByRole('figure')).toBeVisible()
  await takeStill(desk, 'bot')
  await nora.close()
})
