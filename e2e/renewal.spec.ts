import type { BrowserContext, Page } from '@playwright/test'
import { scale } from '../src/testScale.ts'
import { Chat, expect, type FakeSite, test } from './fakeSite.ts'

declare global {
  interface Window {
    /** How often the messages were missing from the chat. */
    blanked: number
    /** The reasons of the `auth` events. */
    reasons: string[]
  }
}

/** Adds the site's function for fresh tokens. Returns the expired tokens it was called with, and how to resolve it. */
async function exposeFreshToken(context: BrowserContext) {
  const expiredTokens: string[] = []
  const { promise, resolve } = Promise.withResolvers<string | null>()
  await context.exposeFunction('freshToken', (expired: string) => {
    expiredTokens.push(expired)
    return promise
  })
  return { expiredTokens, resolve }
}

/** Opens two tabs in which Ada is signed in. */
async function openTwoTabs(page: Page, fakeSite: FakeSite) {
  const ada = fakeSite.contact('Ada', 3)
  const tabs = [page, await page.context().newPage()] as const
  for (const tab of tabs) {
    await tab.goto(fakeSite.url({ 'refresh-token': 'freshToken' }))
    await tab.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
    await new Chat(tab).open()
    await expect(new Chat(tab).transcript).toContainText('Message 3')
    await tab.evaluate(() => {
      window.reasons = []
      window.Natter.on('auth', ({ reason }) => window.reasons.push(reason))
      window.blanked = 0
      const root = document.querySelector('[data-natter]')?.shadowRoot as ShadowRoot
      const watch = () => {
        if (!root.textContent?.includes('Message 3')) window.blanked++
      }
      new MutationObserver(watch).observe(root, { subtree: true, childList: true, characterData: true })
    })
  }
  return { ada, tabs, chats: tabs.map(tab => new Chat(tab)) as [Chat, Chat] }
}

const token = (digit: string) => `c:${digit.repeat(64)}`

test.describe('a token that expires while two tabs are open', () => {
  test('is exchanged once for both: nothing disappears from the chat, and messages sent meanwhile are not lost', async ({
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

  test('is exchanged only for one that the site has, and only if it has expired', async ({ browser, fakeSite }) => {
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
        title: 'is not exchanged when it has been revoked',
        ended: 'revoked',
        fresh: token('f'),
        times: 0,
        reason: 'revoked',
        shown: 'Your session has ended.',
      },
    ] as const
    for (const { title, ended, fresh, times, reason, shown } of ends.slice(0, scale.tokenEnds)) {
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
})
