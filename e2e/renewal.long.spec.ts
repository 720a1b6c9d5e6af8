import { expect, test } from './fakeSite.ts'
import { exposeFreshToken, openTwoTabs, token } from './twoTabsWithToken.ts'

test('a token that ends while two tabs are open is renewed only for one that the site has, and only if it has expired', async ({
  browser,
  fakeSite,
}) => {
  const ends = [
    {
      title: 'switches to the other contact when the site returns another contact’s token',
      ended: 'expired',
      fresh: token('e'),
      times: 1,
      reason: 'replaced',
      shown: 'Chatting as Grace',
    },
    {
      title: 'ends the session when the site has no other token',
      ended: 'expired',
      fresh: null,
      times: 1,
      reason: 'expired',
      shown: 'Your session has expired.',
    },
    {
      title: 'is not renewed when it has been revoked',
      ended: 'revoked',
      fresh: token('f'),
      times: 0,
      reason: 'revoked',
      shown: 'Your session has ended.',
    },
  ] as const
  for (const { title, ended, fresh, times, reason, shown } of ends) {
    await test.step(title, async () => {
      const context = await browser.newContext()
      const page = await context.newPage()
      const { expiredTokens, resolve } = await exposeFreshToken(context)
      const { ada, tabs, chats } = await openTwoTabs(page, fakeSite)
      const { id = '' } = fakeSite.platform.sessions.get(ada.token)?.contact ?? {}
      fakeSite.platform.addContact(token('f'), { id, name: 'Ada' })
      fakeSite.platform.addContact(token('e'), { id: 'grace', name: 'Grace' })
      resolve(fresh)
      fakeSite.platform.end(ada.token, ended)
      for (const chat of chats) {
        await expect(chat.panel).not.toContainText('Ada')
        await expect(chat.transcript).not.toContainText('Message 3')
      }
      await expect(page.getByText(shown)).toBeVisible()
      for (const tab of tabs) await expect.poll(() => tab.evaluate(() => window.reasons)).toContain(reason)
      expect(expiredTokens).toHaveLength(times)
      await context.close()
    })
  }
})
