import { expect, test } from './fakeSite.ts'
import { exposeFreshToken, openTwoTabs, token } from './twoTabsWithToken.ts'

test.describe('a token that expires while two tabs are open', () => {
  test('is renewed once for both: nothing disappears from the chat, and messages sent meanwhile are not lost', async ({
    page,
    context,
    fakeSite,
  }) => {
    const { expiredTokens, resolve } = await exposeFreshToken(context)
    const { ada, tabs, chats } = await openTwoTabs(page, fakeSite)
    fakeSite.platform.end(ada.token, 'expired')
    await expect.poll(() => expiredTokens).toEqual([ada.token])
    for (const [at, chat] of chats.entries()) await chat.send(`Said meanwhile in ${at}`)
    for (const chat of chats) await expect(chat.transcript).toContainText('Said meanwhile in 1')
    expect(ada.messages).toHaveLength(3)

    fakeSite.platform.addContact(token('f'), { id: 'contact-1', name: 'Ada' })
    resolve(token('f'))
    await expect.poll(() => ada.messages.map(({ text }) => text).slice(3)).toHaveLength(2)
    fakeSite.platform.say(ada.messages, { text: 'Heard by both' })
    for (const chat of chats) {
      await expect(chat.transcript).toContainText('Heard by both')
      for (const at of [0, 1]) await expect(chat.transcript.getByText(`Said meanwhile in ${at}`)).toHaveCount(1)
      await expect(chat.panel).not.toContainText(/Sending|Waiting/)
    }
    for (const tab of tabs) {
      expect(await tab.evaluate(() => [window.blanked, window.reasons])).toEqual([0, []])
      expect(await tab.evaluate(() => localStorage.getItem('natter:bot:identity'))).toContain(token('f'))
    }
    expect(expiredTokens).toHaveLength(1)
  })
})
