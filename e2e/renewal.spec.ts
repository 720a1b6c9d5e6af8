import type { BrowserContext, Page } from '@playwright/test'
import { Chat, expect, type Stage, test } from './stage.ts'

declare global {
  interface Window {
    /** How often what has been said was gone from the chat. */
    blanked: number
    /** The reasons of `auth`. */
    reasons: string[]
  }
}

/** The page's own function, asked for fresh tokens: whom it was asked for, and its one answer. */
async function siteAnswers(context: BrowserContext) {
  const asked: string[] = []
  let answer: (token: string | null) => void = () => {}
  const answered = new Promise<string | null>(resolve => {
    answer = resolve
  })
  await context.exposeFunction('freshToken', (expired: string) => {
    asked.push(expired)
    return answered
  })
  return { asked, answer }
}

/** Two tabs in which Ada chats. */
async function adaInTwoTabs(page: Page, stage: Stage) {
  const ada = stage.contact('Ada', 3)
  const tabs = [page, await page.context().newPage()] as const
  for (const tab of tabs) {
    await tab.goto(stage.url({ 'refresh-token': 'freshToken' }))
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
  test('is exchanged once for both: nothing shown goes, and nothing said meanwhile is lost', async ({
    page,
    context,
    stage,
  }) => {
    const { asked, answer } = await siteAnswers(context)
    const { ada, tabs, chats } = await adaInTwoTabs(page, stage)
    stage.platform.end(ada.token, 'expired')
    await expect.poll(() => asked).toEqual([ada.token])
    for (const [at, chat] of chats.entries()) await chat.send(`Said meanwhile in ${at}`)
    for (const chat of chats) await expect(chat.transcript).toContainText('Said meanwhile in 1')
    expect(ada.messages).toHaveLength(3)

    stage.platform.addContact(token('f'), { id: 'contact-1', name: 'Ada' })
    answer(token('f'))
    await expect.poll(() => ada.messages.map(({ text }) => text).slice(3)).toHaveLength(2)
    stage.platform.say(ada.messages, { text: 'Heard by both' })
    for (const chat of chats) {
      await expect(chat.transcript).toContainText('Heard by both')
      for (const at of [0, 1]) await expect(chat.transcript.getByText(`Said meanwhile in ${at}`)).toHaveCount(1)
      await expect(chat.panel).not.toContainText(/Sending|Waiting/)
    }
    for (const tab of tabs) {
      expect(await tab.evaluate(() => [window.blanked, window.reasons])).toEqual([0, []])
      expect(await tab.evaluate(() => localStorage.getItem('natter:bot:identity'))).toContain(token('f'))
    }
    expect(asked).toHaveLength(1)
  })

  for (const { title, ended, fresh, times, reason, shown } of [
    {
      title: 'ends the session when the site has no other',
      ended: 'expired',
      fresh: null,
      times: 1,
      reason: 'expired',
      shown: 'Your session has expired.',
    },
    {
      title: 'is not taken for the same person’s when the site gives another’s',
      ended: 'expired',
      fresh: token('e'),
      times: 1,
      reason: 'replaced',
      shown: 'Chatting as Grace',
    },
    {
      title: 'is not exchanged when it has been revoked',
      ended: 'revoked',
      fresh: token('f'),
      times: 0,
      reason: 'revoked',
      shown: 'You have been signed out.',
    },
  ] as const) {
    test(title, async ({ page, context, stage }) => {
      const { asked, answer } = await siteAnswers(context)
      const { ada, tabs, chats } = await adaInTwoTabs(page, stage)
      stage.platform.addContact(token('f'), { id: 'contact-1', name: 'Ada' })
      stage.platform.addContact(token('e'), { id: 'grace', name: 'Grace' })
      answer(fresh)
      stage.platform.end(ada.token, ended)
      for (const chat of chats) {
        await expect(chat.panel).not.toContainText('Ada')
        await expect(chat.transcript).not.toContainText('Message 3')
      }
      await expect(page.getByText(shown)).toBeVisible()
      for (const tab of tabs) await expect.poll(() => tab.evaluate(() => window.reasons)).toContain(reason)
      expect(asked).toHaveLength(times)
    })
  }
})
