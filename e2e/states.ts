import { botProfile, problem, reply } from '../src/widget/testing/fakePlatform.ts'
import { blockStorage, expect } from './fakeSite.ts'
import { showFiles } from './fileStates.ts'
import { peopleScenarios } from './peopleScenarios.ts'
import { clickButton, type ScenarioContext, startConversation } from './scenarioContext.ts'

/** A message with every kind of content that can be wider than its bubble. */
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

const login = ({ page }: ScenarioContext, token: string) =>
  page.evaluate(token => {
    void window.Natter.auth.contacts.login({ token })
  }, token)

/** Delays the platform's responses about the session until the returned function is called. */
async function holdSession({ page }: ScenarioContext): Promise<() => void> {
  const held = Promise.withResolvers<void>()
  await page.route('**/widget/session/retrieve', async route => {
    await held.promise
    await route.continue()
  })
  return held.resolve
}

/** The part of a string before its first placeholder. */
const textBeforePlaceholder = (text: string) => text.split('{')[0] as string

/** Scenarios that together reach every state a visitor can see. Each starts on a fresh page with the chat closed. */
export const scenarios: Record<string, (context: ScenarioContext) => Promise<void>> = {
  async 'an anonymous visitor chats and ends the chat'(context) {
    const { fakeSite, chat, strings, onState } = context
    await chat.open()
    await expect(chat.transcript).toContainText('Hello')
    await onState('anonymous-empty')
    await startConversation(context)
    const { messages } = fakeSite.visitor()
    const sources = [
      { title: 'Delivery', url: 'https://shop.example/delivery' },
      { title: 'Your orders', url: 'https://shop.example/orders' },
    ]
    fakeSite.platform.say(messages, {
      text: 'It is on its way: https://shop.example/orders',
      quickReplies: ['Thanks'],
      sources,
    })
    await expect(chat.panel.getByRole('button', { name: 'Thanks' })).toBeVisible()
    await onState('anonymous-talking')
    fakeSite.platform.say(messages, { text: 'Nora here: it arrives on Tuesday.', author: 'agent' })
    fakeSite.platform.emit(messages, { event: 'typing', data: { author: 'agent' } })
    await expect(
      chat.transcript.getByRole('img', { name: strings.typing.replace('{name}', strings.agent) }),
    ).toBeVisible()
    await onState('agent-typing')
    fakeSite.platform.say(messages, { text: 'One moment.', author: 'agent' })
    fakeSite.platform.emit(messages, { event: 'typing', data: { author: 'bot', thinking: true } })
    await expect(chat.transcript).toContainText(strings.thinking)
    await onState('bot-thinking')
    await clickButton(context, strings.menu)
    await onState('menu')
    await chat.panel.getByRole('menuitem', { name: strings.endChat }).click()
    const question = chat.panel.getByRole('alertdialog')
    await expect(question.getByRole('button', { name: strings.cancel })).toBeFocused()
    await onState('end-chat')
    await question.getByRole('button', { name: strings.endChat }).click()
    await expect(chat.transcript).not.toContainText('Tuesday')
  },

  async 'the platform limits the rate, the network fails, and the platform is slow to recover'(context) {
    const { page, fakeSite, chat, strings, onState } = context
    await chat.open()
    await startConversation(context)
    fakeSite.platform.intercept = (_, path) =>
      path === '/messages' ? problem(429, 'rate_limited', { 'retry-after': '5' }) : undefined
    await chat.send('And my refund?')
    await expect(chat.panel).toContainText(textBeforePlaceholder(strings.limited))
    await onState('rate-limited')
    await page.context().setOffline(true)
    await expect(chat.panel).toContainText(strings.offline)
    await expect(chat.panel).toContainText(strings.offlineHint)
    await onState('offline')
    // Without a stream the widget polls messages, and shows no problem while that works.
    fakeSite.platform.intercept = (_, path) =>
      /^\/(events\/stream|messages\/list)$/.test(path) ? problem(503, 'unavailable') : undefined
    await page.context().setOffline(false)
    await expect(chat.panel).toContainText(strings.reconnecting)
    await onState('reconnecting')
    fakeSite.platform.intercept = () => undefined
    await expect(chat.panel).not.toContainText(strings.reconnecting)
    // Not before the time that the platform has asked for, also after a lost connection.
    const said = () => fakeSite.visitor().messages.map(({ text }) => text)
    await expect.poll(said, { timeout: 30_000 }).toContain('And my refund?')
  },

  async 'one rejected message is retried and another is deleted'(context) {
    const { fakeSite, chat, strings, onState } = context
    await chat.open()
    const sendRejected = async (text: string) => {
      fakeSite.platform.intercept = (_, path) => (path === '/messages' ? problem(400, 'invalid_body') : undefined)
      await chat.send(text)
      await expect(chat.transcript).toContainText(strings.failed)
      fakeSite.platform.intercept = () => undefined
    }
    await sendRejected('The parcel number is A-1042')
    await onState('message-failed')
    await clickButton(context, strings.retry)
    await expect(chat.panel).toContainText(strings.sent)
    await sendRejected('Or is it A-1043?')
    await clickButton(context, strings.delete)
    await expect(chat.transcript).not.toContainText('A-1043')
    await expect(chat.transcript).toContainText('A-1042')
  },

  async 'a contact signs in, returns, and is signed out by the platform'(context) {
    const { page, fakeSite, chat, strings, onState } = context
    const ada = fakeSite.contact('Ada Lovelace', 100)
    await chat.open()
    let release = await holdSession(context)
    await login(context, ada.token)
    await expect(chat.panel).toContainText(strings.identifying)
    await onState('identifying')
    release()
    await expect(chat.panel).toContainText(strings.chattingAs.replace('{name}', 'Ada Lovelace'))
    await expect(chat.transcript).toContainText('Message 100')
    await onState('identified')
    release = await holdSession(context)
    await page.reload()
    await chat.open()
    await expect(chat.panel).toContainText(strings.restoring)
    await onState('restoring')
    fakeSite.platform.intercept = (_, path, { body }) =>
      path === '/messages/list' && `${body}`.includes('before') ? problem(400, 'invalid_query') : undefined
    release()
    await expect(chat.transcript).toContainText('Message 100')
    await chat.transcript.evaluate(log => log.scrollTo(0, 0))
    await expect(chat.transcript.getByRole('alert')).toContainText(strings.historyFailed)
    await onState('history-failed')
    fakeSite.platform.intercept = () => undefined
    await clickButton(context, strings.retry)
    await expect(chat.panel).not.toContainText(strings.historyFailed)
    await expect(chat.transcript).toContainText('Message 50.')
    fakeSite.platform.end(ada.token, 'revoked')
    await expect(chat.panel).toContainText(strings.revoked)
    await expect(chat.panel).not.toContainText('Ada')
    await onState('ended-revoked')
    await clickButton(context, strings.dismiss)
    await expect(chat.panel).not.toContainText(strings.revoked)
    for (const reason of ['expired', 'contact_deleted'] as const) {
      const grace = fakeSite.contact('Grace Hopper', 3)
      await login(context, grace.token)
      await expect(chat.panel).toContainText(strings.chattingAs.replace('{name}', 'Grace Hopper'))
      await expect.poll(() => [...fakeSite.platform.streams].some(({ token }) => token === grace.token)).toBe(true)
      fakeSite.platform.end(grace.token, reason)
      await expect(chat.panel).toContainText(strings[reason])
      await expect(chat.panel).not.toContainText('Grace')
      await onState(`ended-${reason}`)
    }
  },

  async 'a reply is in Markdown'(context) {
    const { fakeSite, chat, onState } = context
    await chat.open()
    await startConversation(context)
    fakeSite.platform.say(fakeSite.visitor().messages, { text: markdown, format: 'markdown' })
    await expect(chat.transcript.getByRole('heading', { name: 'How to return a parcel' })).toBeVisible()
    await onState('markdown')
  },

  ...peopleScenarios,

  'files are attached, refused, sent and received': showFiles,

  async 'the bot is unavailable, then available again'(context) {
    const { fakeSite, chat, strings, onState } = context
    fakeSite.platform.intercept = (_, path) => (path === '' ? problem(404, 'not_found') : undefined)
    await chat.open()
    await expect(chat.panel).toContainText(strings.botUnavailable)
    await onState('bot-unavailable')
    fakeSite.platform.intercept = () => undefined
    await clickButton(context, strings.retry)
    await expect(chat.transcript).toContainText('Hello')
    await expect(chat.panel).not.toContainText(strings.botUnavailable)
  },

  async 'the bot talks to signed-in people only'(context) {
    const { page, fakeSite, chat, strings, onState } = context
    fakeSite.platform.intercept = (_, path) =>
      path === '' ? reply(200, { ...botProfile, visitors: 'contacts' }) : undefined
    await page.evaluate(() => {
      window.Natter.on('signin', () => {
        document.title = 'Please sign in'
      })
    })
    await chat.launcher.click()
    const button = chat.panel.getByRole('button', { name: strings.signIn })
    await expect(button).toBeFocused()
    await expect(chat.transcript).toContainText('Hello')
    await expect(chat.panel.getByRole('textbox')).toHaveCount(0)
    await onState('sign-in-required')
    await page.keyboard.press('Enter')
    await expect(page).toHaveTitle('Please sign in')
    await login(context, fakeSite.contact('Ada', 1).token)
    await expect(chat.panel.getByRole('textbox')).toBeFocused()
    await onState('signed-in-as-required')
  },

  async 'a chunk fails to load, then loads'({ page, chat, strings, onState }) {
    for (const chunk of ['core', 'panel']) {
      await page.route(`**/${chunk}-*`, route => route.abort())
      await page.reload()
      await chat.launcher.click()
      await expect(chat.launcher).toHaveAccessibleName(strings.panelFailed)
      await expect(page.getByRole('alert')).toHaveText(strings.panelFailed)
      await onState(`${chunk}-failed`)
      await page.unroute(`**/${chunk}-*`)
      await chat.open()
      await expect(chat.launcher).toHaveAccessibleName(strings.chat)
      await expect(page.locator('.layer > [role=alert]')).toBeEmpty()
    }
    await chat.send('It works after all')
    await expect(chat.panel).toContainText(strings.sent)
  },

  async 'the browser blocks storage'({ page, chat, strings, onState }) {
    await blockStorage(page)
    await page.reload()
    await chat.open()
    await expect(chat.transcript).toContainText(strings.storageBlocked)
    await onState('storage-blocked')
    await chat.send('It works all the same')
    await expect(chat.panel).toContainText(strings.sent)
  },
}
