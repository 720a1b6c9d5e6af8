import type { Page } from '@playwright/test'
import { findInChat } from './chatData.ts'
import { button, log, press } from './demoPage.ts'
import { expect, Shop, test } from './fixtures.ts'
import { recordFrames, recordFramesOfNextPage, shownTexts } from './shownFrames.ts'

/** Counts the contact tokens that the shop's server creates from now on, as reported in its response headers. */
function countCreatedTokens(page: Page): () => number {
  let count = 0
  page.on('response', response => {
    const calls = JSON.parse(response.headers()['x-platform-calls'] ?? '[]') as string[]
    count += calls.filter(call => /^PUT \S+\/auth\/contacts 201$/.test(call)).length
  })
  return () => count
}

/** Signs in as Ada and writes into the chat. Returns the text, which nobody else may see. */
async function chatAsAda(shop: Shop): Promise<string> {
  const secret = `My parcel was opened ${crypto.randomUUID().slice(0, 8)}`
  await shop.visit()
  await shop.signIn('Ada')
  await shop.chat.open()
  await shop.chat.say(secret)
  return secret
}

test("when the shop's session has ended, loading a page of it or going back to one also ends the chat's session", async ({
  shop,
  page,
  context,
  platform,
}) => {
  for (const path of ['/', '/spa/']) {
    await test.step(`loading ${path}`, async () => {
      const secret = `My parcel was opened ${crypto.randomUUID().slice(0, 8)}`
      await shop.visit()
      await shop.signIn('Ada')
      await page.goto(shop.address + path)
      await expect(shop.state).toHaveText('identified as Ada Lovelace')
      await shop.chat.open()
      await shop.chat.say(secret)
      const [token = ''] = await findInChat(page, /c:[0-9a-f]{64}/)
      expect(token).not.toBe('')

      // As if the session had expired: nobody has signed out, so the contact token still works.
      await context.clearCookies()
      await recordFramesOfNextPage(page)
      await page.reload()
      await shop.chat.open()
      await expect(shop.state).toHaveText('anonymous')
      await expect(shop.chat.transcript).toContainText('What can I do for you?')
      const shown = await shownTexts(page)
      expect(shown).toContain('What can I do for you?')
      for (const word of [secret, 'Lovelace', 'Chatting as']) expect(shown).not.toContain(word)
      for (const word of [secret, 'Lovelace']) await expect(page.locator('body')).not.toContainText(word)
      await expect.poll(() => findInChat(page, secret)).toEqual([])
      expect(await findInChat(page, token, 'Lovelace')).toEqual([])
      const authorization = `Bearer ${token}`
      const session = `${platform.baseUrl}/v1/bots/${platform.botId}/widget/session`
      await expect.poll(async () => (await fetch(session, { headers: { authorization } })).status).toBe(401)
    })
  }

  await test.step('going back', async () => {
    const secret = await chatAsAda(shop)
    await page.goto('about:blank')
    await context.clearCookies()
    await page.goBack()
    await expect(shop.state).toHaveText('anonymous')
    await expect.poll(() => findInChat(page, secret)).toEqual([])
    expect(await findInChat(page, 'Lovelace')).toEqual([])
  })
})

test('once the shop’s session has expired, neither opening the chat nor another sign-in ever shows a frame of the former conversation', async ({
  shop,
  page,
}) => {
  await test.step('opening the chat', async () => {
    const secret = await chatAsAda(shop)
    await shop.chat.composer.press('Escape')
    // The panel has also moved out.
    await expect(page.locator('[data-natter] .panel')).toHaveCount(0)
    await press(button(page, 'Let the shop’s session expire'))
    await expect(log(page)).toContainText('/api/expire-session204')
    // The chat has not been notified.
    await expect(shop.state).toHaveText('identified as Ada Lovelace')
    await recordFrames(page)
    await shop.chat.launcher.click()
    await expect(shop.chat.transcript).toContainText('What can I do for you?')
    await expect(shop.state).toHaveText('anonymous')
    await expect(page.locator('[data-shop]')).toHaveText('nobody signed in')
    await expect(log(page)).toContainText('/api/contact-token401')
    const shown = await shownTexts(page)
    expect(shown).toContain('What can I do for you?')
    for (const word of [secret, 'Chatting as', 'Good to see you']) expect(shown).not.toContain(word)
    await expect.poll(() => findInChat(page, secret)).toEqual([])
    expect(await findInChat(page, /Lovelace|c:[0-9a-f]{64}/)).toEqual([])
  })

  await test.step('another customer who signs in', async () => {
    const secret = await chatAsAda(shop)
    await press(button(page, 'Let the shop’s session expire'))
    await expect(log(page)).toContainText('/api/expire-session204')
    await shop.chat.composer.press('Escape')
    // The panel has also moved out.
    await expect(page.locator('[data-natter] .panel')).toHaveCount(0)
    await recordFrames(page)
    await press(button(page, 'Sign in as Grace'))
    await expect(shop.state).toHaveText('identified as Grace Hopper')
    await shop.chat.open()
    await expect(shop.chat.panel).toContainText('Chatting as Grace Hopper')
    const shown = await shownTexts(page)
    expect(shown).toContain('Chatting as Grace Hopper')
    for (const word of [secret, 'Chatting as Ada']) expect(shown).not.toContain(word)
  })
})

test('page loads of one session in several tabs create one contact token, and a sign-out reaches tabs that share no chat', async ({
  shop,
  page,
  context,
}) => {
  await test.step('many page loads of one session, in two tabs and in the single-page app, create one contact token', async () => {
    const second = await context.newPage()
    const counts = [page, second].map(countCreatedTokens)
    await shop.visit()
    await shop.signIn('Ada')
    for (const [each, path] of [
      [page, '/'],
      [second, '/'],
      [second, '/spa/'],
      [page, '/'],
    ] as const) {
      await each.goto(shop.address + path)
      await expect(each.getByTestId('session-state')).toHaveText('identified as Ada Lovelace')
    }
    expect(counts.map(count => count())).toEqual([1, 0])
  })

  await test.step('a sign-in and a sign-out also reach a tab that shares no chat with the others', async () => {
    const second = new Shop(await context.newPage(), `${shop.address}/?persist=memory`)
    await second.visit()
    await shop.signOut()
    await expect(second.state).toHaveText('anonymous')
    await shop.signIn('Ada')
    await expect(second.state).toHaveText('identified as Ada Lovelace')
    await shop.signOut()
    await expect(second.state).toHaveText('anonymous')
  })
})

test('a chat whose token the platform has revoked stays signed out, on later pages too, until the customer signs in again', async ({
  shop,
  page,
  client,
}) => {
  const createdTokens = countCreatedTokens(page)
  await shop.visit()
  await shop.signIn('Grace')
  const [token = ''] = await findInChat(page, /c:[0-9a-f]{64}/)
  await client.contactTokens.revoke(token)
  await expect(shop.state).toHaveText('anonymous')
  await page.reload()
  await expect(page.locator('[data-shop]')).toHaveText('Grace Hopper signed in')
  await shop.chat.open()
  await expect(shop.chat.transcript).toContainText('What can I do for you?')
  await expect(shop.state).toHaveText('anonymous')
  expect(createdTokens()).toBe(1)
  await press(button(page, 'Sign in as Grace'))
  await expect(shop.chat.panel).toContainText('Chatting as Grace Hopper')
  await page.reload()
  await expect(shop.state).toHaveText('identified as Grace Hopper')
  expect(createdTokens()).toBe(2)
})
