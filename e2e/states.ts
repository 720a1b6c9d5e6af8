import type { Page } from '@playwright/test'
import type { Translation } from '../src/widget/i18n/en.ts'
import { problem } from '../src/widget/testing/fakePlatform.ts'
import { type Chat, expect, type Stage } from './stage.ts'

export interface Visit {
  page: Page
  stage: Stage
  chat: Chat
  /** What the widget says, in the language of the page. */
  words: Omit<Translation, 'chatUnread' | 'charactersLeft'>
  /** A state has been reached, and stays as long as it is looked at. */
  see(state: string): Promise<void>
}

/** With all that is wider than a bubble. */
export const markdown = `## How to return a parcel

1. Print the **label**:
   \`\`\`sh
   acme label --order 1042 --paper a4 --printer "the one in the kitchen"
   \`\`\`
2. Hand it in, see [our page](https://acme.example/returns)
   - with the *receipt*
   - with \`A-1042\`

> Keep the number.

| Country | Days | Price | Where to hand it in | Remarks |
|---|--:|--:|---|---|
| Norway | 3 | 4.90 | Any post office | Keep the receipt |`

/** Says something and waits until the answer can come. */
export async function talk({ stage, chat, words }: Omit<Visit, 'see'>): Promise<void> {
  await chat.send('Where is my order?')
  await expect(chat.panel).toContainText(words.sent)
  await expect.poll(() => stage.platform.streams.size).toBe(1)
}

const press = ({ chat }: Visit, name: string) => chat.panel.getByRole('button', { name, exact: true }).click()

const login = ({ page }: Visit, token: string) =>
  page.evaluate(token => {
    void window.Natter.auth.contacts.login({ token })
  }, token)

/** Holds back what the platform says about the session until it is let go. */
async function holdSession({ page }: Visit): Promise<() => void> {
  const held = Promise.withResolvers<void>()
  await page.route('**/widget/session/retrieve', async route => {
    await held.promise
    await route.continue()
  })
  return held.resolve
}

/** What a text says before the name or the time in it. */
const beginning = (text: string) => text.split('{')[0] as string

/** Ways through every state that a visitor can meet, each on a page of its own with the chat closed. */
export const visits: Record<string, (visit: Visit) => Promise<void>> = {
  async 'somebody talks without a login, and ends it'(visit) {
    const { stage, chat, words, see } = visit
    await chat.open()
    await expect(chat.transcript).toContainText('Hello')
    await see('anonymous-empty')
    await talk(visit)
    const { messages } = stage.visitor()
    stage.platform.say(messages, { text: 'It is on its way: https://shop.example/orders', quickReplies: ['Thanks'] })
    await expect(chat.panel.getByRole('button', { name: 'Thanks' })).toBeVisible()
    await see('anonymous-talking')
    stage.platform.say(messages, { text: 'Nora here: it arrives on Tuesday.', author: 'agent' })
    stage.platform.emit(messages, { event: 'typing', data: { author: 'agent' } })
    await expect(chat.transcript.getByRole('img', { name: words.typing.replace('{name}', words.agent) })).toBeVisible()
    await see('agent-typing')
    await press(visit, words.menu)
    await see('menu')
    await chat.panel.getByRole('menuitem', { name: words.endChat }).click()
    const question = chat.panel.getByRole('alertdialog')
    await expect(question.getByRole('button', { name: words.cancel })).toBeFocused()
    await see('end-chat')
    await question.getByRole('button', { name: words.endChat }).click()
    await expect(chat.transcript).not.toContainText('Tuesday')
  },

  async 'the platform has enough, the network goes, the platform is slow to come back'(visit) {
    const { page, stage, chat, words, see } = visit
    await chat.open()
    await talk(visit)
    stage.platform.intercept = (_, path) =>
      path === '/messages' ? problem(429, 'rate_limited', { 'retry-after': '60' }) : undefined
    await chat.send('And my refund?')
    await expect(chat.panel).toContainText(beginning(words.limited))
    await see('rate-limited')
    await page.context().setOffline(true)
    await expect(chat.panel).toContainText(words.offline)
    await expect(chat.panel).toContainText(words.offlineHint)
    await see('offline')
    // Without a stream messages are fetched, and while that works all is well.
    stage.platform.intercept = (_, path) =>
      /^\/(events\/stream|messages\/list)$/.test(path) ? problem(503, 'unavailable') : undefined
    await page.context().setOffline(false)
    await expect(chat.panel).toContainText(words.reconnecting)
    await see('reconnecting')
    stage.platform.intercept = () => undefined
    await expect(chat.panel).not.toContainText(words.reconnecting)
    await expect.poll(() => stage.visitor().messages.map(({ text }) => text)).toContain('And my refund?')
  },

  async 'a message is refused, sent again, and another one deleted'(visit) {
    const { stage, chat, words, see } = visit
    await chat.open()
    const fail = async (text: string) => {
      stage.platform.intercept = (_, path) => (path === '/messages' ? problem(400, 'invalid_body') : undefined)
      await chat.send(text)
      await expect(chat.transcript.getByRole('alert')).toContainText(words.failed)
      stage.platform.intercept = () => undefined
    }
    await fail('The parcel number is A-1042')
    await see('message-failed')
    await press(visit, words.retry)
    await expect(chat.panel).toContainText(words.sent)
    await fail('Or is it A-1043?')
    await press(visit, words.delete)
    await expect(chat.transcript).not.toContainText('A-1043')
    await expect(chat.transcript).toContainText('A-1042')
  },

  async 'a contact signs in, comes back, and is shown out'(visit) {
    const { page, stage, chat, words, see } = visit
    const ada = stage.contact('Ada Lovelace', 100)
    await chat.open()
    let letGo = await holdSession(visit)
    await login(visit, ada.token)
    await expect(chat.panel).toContainText(words.identifying)
    await see('identifying')
    letGo()
    await expect(chat.panel).toContainText(words.chattingAs.replace('{name}', 'Ada Lovelace'))
    await expect(chat.transcript).toContainText('Message 100')
    await see('identified')
    letGo = await holdSession(visit)
    await page.reload()
    await chat.open()
    await expect(chat.panel).toContainText(words.restoring)
    await see('restoring')
    stage.platform.intercept = (_, path, { body }) =>
      path === '/messages/list' && `${body}`.includes('before') ? problem(400, 'invalid_query') : undefined
    letGo()
    await expect(chat.transcript).toContainText('Message 100')
    await chat.transcript.evaluate(log => log.scrollTo(0, 0))
    await expect(chat.transcript.getByRole('alert')).toContainText(words.historyFailed)
    await see('history-failed')
    stage.platform.intercept = () => undefined
    await press(visit, words.retry)
    await expect(chat.panel).not.toContainText(words.historyFailed)
    await expect(chat.transcript).toContainText('Message 50.')
    stage.platform.end(ada.token, 'revoked')
    await expect(chat.panel).toContainText(words.revoked)
    await expect(chat.panel).not.toContainText('Ada')
    await see('ended-revoked')
    await press(visit, words.dismiss)
    await expect(chat.panel).not.toContainText(words.revoked)
    for (const reason of ['expired', 'contact_deleted'] as const) {
      const grace = stage.contact('Grace Hopper', 3)
      await login(visit, grace.token)
      await expect(chat.panel).toContainText(words.chattingAs.replace('{name}', 'Grace Hopper'))
      await expect.poll(() => [...stage.platform.streams].some(({ token }) => token === grace.token)).toBe(true)
      stage.platform.end(grace.token, reason)
      await expect(chat.panel).toContainText(words[reason])
      await expect(chat.panel).not.toContainText('Grace')
      await see(`ended-${reason}`)
    }
  },

  async 'somebody answers in Markdown'(visit) {
    const { stage, chat, see } = visit
    await chat.open()
    await talk(visit)
    stage.platform.say(stage.visitor().messages, { text: markdown, format: 'markdown' })
    await expect(chat.transcript.getByRole('heading', { name: 'How to return a parcel' })).toBeVisible()
    await see('markdown')
  },

  async 'there is no bot, and then there is'(visit) {
    const { stage, chat, words, see } = visit
    stage.platform.intercept = (_, path) => (path === '' ? problem(404, 'not_found') : undefined)
    await chat.open()
    await expect(chat.panel).toContainText(words.botUnavailable)
    await see('bot-unavailable')
    stage.platform.intercept = () => undefined
    await press(visit, words.retry)
    await expect(chat.transcript).toContainText('Hello')
    await expect(chat.panel).not.toContainText(words.botUnavailable)
  },

  async 'a part of it can’t be fetched, and then it can'({ page, chat, words, see }) {
    for (const part of ['core', 'panel']) {
      await page.route(`**/${part}-*`, route => route.abort())
      await page.reload()
      await chat.launcher.click()
      await expect(chat.launcher).toHaveAccessibleName(words.panelFailed)
      await expect(chat.launcher.getByRole('alert')).toHaveText(words.panelFailed)
      await see(`${part}-failed`)
      await page.unroute(`**/${part}-*`)
      await chat.open()
      await expect(chat.launcher).toHaveAccessibleName(words.chat)
    }
  },

  async 'the browser keeps nothing'({ page, chat, words, see }) {
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('Access is denied', 'SecurityError')
          },
        })
      }
    })
    await page.reload()
    await chat.open()
    await expect(chat.transcript).toContainText(words.storageBlocked)
    await see('storage-blocked')
    await chat.send('It works all the same')
    await expect(chat.panel).toContainText(words.sent)
  },
}
