import { findInChat } from './chatData.ts'
import { expect, test } from './fixtures.ts'

/** A text that no other test sends. */
const unique = (text: string) => `${text} ${crypto.randomUUID().slice(0, 8)}`

test.describe('a contact', () => {
  test('signs in, is greeted by name, and sees the earlier conversation, also in a second browser', async ({
    shop,
    otherBrowser,
  }) => {
    const question = unique('When is order A-1042 delivered?')
    await shop.visit()
    await shop.signIn('Ada')
    await shop.chat.open()
    await expect(shop.chat.panel).toContainText('Chatting as Ada Lovelace')
    await expect(shop.chat.panel).toContainText('Good to see you, Ada.')
    await shop.chat.ask(question, /tracking link/)

    const other = await otherBrowser()
    await other.visit()
    await other.signIn('Ada')
    await other.chat.open()
    await expect(other.chat.transcript).toContainText(question)

    const live = unique('And what about A-1043?')
    await other.chat.send(live)
    await expect(shop.chat.transcript.getByText(live)).toHaveCount(1)
  })

  test('never sees what an anonymous visitor wrote, and leaves nothing behind after signing out', async ({
    shop,
    page,
    platform,
  }) => {
    await test.step('never sees what an anonymous visitor wrote, before or after signing out', async () => {
      const secret = unique('An anonymous question')
      await shop.visit()
      await shop.chat.open()
      await shop.chat.say(secret)
      await shop.signIn('Grace')
      await expect(shop.chat.panel).toContainText('Chatting as Grace Hopper')
      await expect(shop.chat.transcript).not.toContainText(secret)
      await shop.signOut()
      await expect(shop.chat.transcript).not.toContainText(secret)
    })

    await test.step('leaves nothing in the page or its storage after signing out, and the token is revoked', async () => {
      const secret = unique('My parcel was opened')
      await shop.signIn('Ada')
      await shop.chat.say(secret)
      const [token = ''] = await findInChat(page, /c:[0-9a-f]{64}/)
      expect(token).not.toBe('')
      expect(await findInChat(page, secret)).toEqual([secret])

      await shop.signOut()
      await expect(shop.chat.panel).not.toContainText('Ada')
      await expect(shop.chat.transcript).toContainText('What can I do for you?')
      await expect.poll(() => findInChat(page, secret)).toEqual([])
      expect(await findInChat(page, token.slice(2), 'Lovelace')).toEqual([])
      await expect
        .poll(async () => {
          const response = await fetch(`${platform.baseUrl}/v1/bots/${platform.botId}/widget/session`, {
            headers: { authorization: `Bearer ${token}` },
          })
          return [response.status, ((await response.json()) as { code: string }).code]
        })
        .toEqual([401, 'token_revoked'])
    })
  })

  test("shows nothing after the browser's Back button when signed out", async ({ shop, page, context }) => {
    const secret = unique('Please do not show this')
    await shop.visit()
    await shop.signIn('Ada')
    await shop.chat.open()
    await shop.chat.say(secret)
    await page.goto('about:blank')

    const next = await context.newPage()
    await next.goto(shop.address)
    await next
      .getByRole('button', { name: /sign out/i })
      .first()
      .click()
    await expect(next.getByTestId('session-state')).toContainText('anonymous')
    await next.close()

    await page.goBack()
    await expect(shop.chat.launcher).toBeVisible()
    await expect.poll(() => findInChat(page, secret)).toEqual([])
    await expect(page.locator('body')).not.toContainText('Chatting as')
  })

  test('clears everything immediately when signing out offline or when another login is refused', async ({
    shop,
    page,
    context,
  }) => {
    await test.step('is signed out and sees an anonymous widget when another login is refused', async () => {
      const secret = unique('Before the refused login')
      await shop.visit()
      await shop.signIn('Ada')
      await shop.chat.open()
      await shop.chat.say(secret)
      const code = await page.evaluate(
        token =>
          window.Natter.auth.contacts.login({ token }).then(
            () => 'resolved',
            error => error.code,
          ),
        `c:${'0'.repeat(64)}`,
      )
      expect(code).toBe('token_invalid')
      await expect(shop.chat.panel).not.toContainText('Chatting as')
      expect(await findInChat(page, secret, 'Lovelace')).toEqual([])
    })

    await test.step('clears everything immediately when signing out offline', async () => {
      await context.clearCookies()
      const secret = unique('Offline secret')
      await shop.visit()
      await shop.signIn('Grace')
      await shop.chat.open()
      await shop.chat.say(secret)
      await context.setOffline(true)
      await page.evaluate(() => window.Natter.auth.contacts.logout())
      expect(await findInChat(page, secret, 'Hopper', /c:[0-9a-f]{64}/)).toEqual([])
      await context.setOffline(false)
    })
  })
})
