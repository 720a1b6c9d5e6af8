import type { BrowserContext } from '@playwright/test'
import { Chat, expect, test } from './fakeSite.ts'
import { Shop } from './fixtures.ts'

async function openSecondTab(context: BrowserContext, first: Shop): Promise<Shop> {
  const second = new Shop(await context.newPage(), first.address)
  await first.visit()
  await second.visit()
  return second
}

test.describe('two tabs', () => {
  test('sign in and out together, show the same messages, and are both anonymous after a revocation', async ({
    shop,
    context,
  }) => {
    const second = await openSecondTab(context, shop)
    await second.chat.open()
    await test.step('a sign-in in one tab', async () => {
      await shop.signIn('Ada')
      await expect(second.chat.panel).toContainText('Chatting as Ada Lovelace')
    })
    await test.step('each message once', async () => {
      await shop.chat.open()
      const text = `Said once ${crypto.randomUUID()}`
      await shop.chat.say(text)
      await expect(second.chat.transcript.getByText(text)).toHaveCount(1)
      await expect(shop.chat.transcript.getByText(text)).toHaveCount(1)
    })
    await test.step('a sign-out in one tab', async () => {
      await shop.signOut()
      await expect(second.chat.panel).not.toContainText('Ada')
      await expect(second.state).toContainText('anonymous')
    })
    await test.step('a revocation on the server', async () => {
      await shop.signIn('Ada')
      for (const tab of [shop, second]) await expect(tab.chat.panel).toContainText('Chatting as Ada Lovelace')
      const revoked = shop.page.waitForResponse(response => response.url().includes('revoke'))
      await shop.page.getByRole('button', { name: /revoke from the server/i }).click()
      await revoked
      for (const tab of [shop, second]) await expect(tab.chat.panel).not.toContainText('Chatting as')
      await expect(shop.chat.panel).toContainText('Your session has ended.')
    })
  })

  test('create one anonymous conversation when both send first', async ({ shop, context }) => {
    const second = await openSecondTab(context, shop)
    await shop.chat.open()
    await second.chat.open()
    let requests = 0
    const { promise: bothSent, resolve: release } = Promise.withResolvers<void>()
    await context.route('**/widget/sessions', async route => {
      requests++
      await bothSent
      await route.continue()
    })
    const send = ({ page }: Shop, text: string) => page.evaluate(text => window.Natter.message({ text }), text)
    // Not by the composers: tabs share the draft, so two of them cannot be typed in at once.
    await Promise.all([send(shop, 'From the first tab'), send(second, 'From the second tab')])
    // A message that a tab shows is already being sent.
    await expect(shop.chat.transcript).toContainText('From the first tab')
    await expect(second.chat.transcript).toContainText('From the second tab')
    release()
    for (const tab of [shop, second]) {
      await expect(tab.chat.transcript.getByText('From the first tab')).toHaveCount(1)
      await expect(tab.chat.transcript.getByText('From the second tab')).toHaveCount(1)
    }
    expect(requests).toBe(1)
  })

  test('show the same unread count, mark messages as read together, and share the sound setting', async ({
    page,
    context,
    fakeSite,
  }) => {
    const ada = fakeSite.contact('Ada', 0)
    const tabs = [page, await context.newPage()] as const
    const [first, second] = tabs.map(tab => new Chat(tab)) as [Chat, Chat]
    for (const tab of tabs) await tab.goto(fakeSite.url({ 'title-badge': 'true' }))
    await page.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
    await expect.poll(() => fakeSite.platform.streams.size).toBe(2)
    for (const count of [1, 2]) {
      fakeSite.platform.say(ada.messages, {})
      for (const { launcher } of [first, second]) await expect(launcher).toHaveAccessibleName(`Chat, ${count} unread`)
    }
    for (const tab of tabs) await expect(tab).toHaveTitle('(2) Shop')
    await second.open()
    for (const { launcher } of [first, second]) await expect(launcher).toHaveAccessibleName('Chat')
    for (const tab of tabs) await expect(tab).toHaveTitle('Shop')
    await first.open()
    for (const [chat, checked] of [
      [first, false],
      [second, true],
      [first, true],
    ] as const) {
      await chat.page.bringToFront()
      await chat.panel.getByRole('button', { name: 'More' }).click()
      const sound = chat.panel.getByRole('menuitemcheckbox')
      await expect(sound).toBeChecked({ checked })
      if (checked) await chat.composer.press('Escape')
      else await sound.click()
    }
  })
})

test('two widgets of one bot in one page share the visitor, also offline', async ({ page, context, fakeSite }) => {
  const ada = fakeSite.contact('Ada', 0)
  const grace = fakeSite.contact('Grace', 0)
  await page.route(fakeSite.url(), route =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><script src="/natter.js" data-bot-id="bot"></script><script src="/natter.js"></script>
        <natter-chat bot-id="bot"></natter-chat>`,
    }),
  )
  await page.goto(fakeSite.url())
  const inline = page.locator('natter-chat .panel')
  for (const [name, { token }] of Object.entries({ Ada: ada, Grace: grace })) {
    await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
    await expect(inline).toContainText(`Chatting as ${name}`)
  }
  await inline.getByRole('textbox').fill('Grace speaking')
  await inline.getByRole('textbox').press('Enter')
  await expect.poll(() => grace.messages.map(({ text }) => text)).toEqual(['Grace speaking'])
  expect(ada.messages).toEqual([])
  await context.setOffline(true)
  await page.evaluate(() => window.Natter.auth.contacts.logout())
  await expect(inline).not.toContainText(/Chatting as|Grace/)
})
