import type { Page } from '@playwright/test'
import { type Chat, expect, type FakeSite, openWithHtml, test } from './fakeSite.ts'

interface Scene {
  page: Page
  fakeSite: FakeSite
  chat: Chat
}

const login = ({ page }: Scene, token: string) =>
  page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)

/** Up to which message the visitor has read, as the platform knows it; 0 if nothing was reported. */
const reportedSeq = ({ fakeSite }: Scene) =>
  Math.max(0, ...fakeSite.platform.log.filter(({ path }) => path === '/read').map(({ body }) => Object(body).seq))

/** What the page has sent before this request has arrived with it. */
const settle = (page: Page) => page.evaluate(() => fetch('/?settled'))

/** Opens a page whose chat is inline, below the visible part. The page counts the unread messages. */
async function openInline({ page, fakeSite }: Scene): Promise<void> {
  const body = `<div style="height:3000px"></div><div id="chat" style="height:420px"></div><div style="height:3000px"></div>
    <script src="/natter.js" data-bot-id="bot" data-mode="inline" data-target="#chat"></script>
    <script>Natter.on('unread', ({ count }) => { document.title = count + ' unread' })</script>`
  await openWithHtml(page, fakeSite, { body })
}

test('a chat starts at the first unread message, also one that loads into an open chat, and those below the visible part stay unread', async ({
  page,
  fakeSite,
  chat,
}) => {
  const scene = { page, fakeSite, chat }
  const { token, messages } = fakeSite.contact('Ada Lovelace', 20)
  await page.goto(fakeSite.url())
  await login(scene, token)
  await chat.open()
  const jump = chat.panel.getByRole('button', { name: 'New messages' })
  await expect(jump).toBeVisible()
  await expect(chat.transcript.getByText('New messages')).toBeInViewport()
  await settle(page)
  expect(reportedSeq(scene)).toBe(0)
  await jump.click()
  await expect(jump).toBeHidden()
  await expect.poll(() => reportedSeq(scene)).toBe(20)

  await page.goto('about:blank')
  for (let seq = 21; seq <= 40; seq++)
    fakeSite.platform.say(messages, { text: `Message ${seq}. ${'Words '.repeat(9)}` })
  const held = Promise.withResolvers<void>()
  await page.route('**/widget/session/retrieve', route => held.promise.then(() => route.continue()))
  await page.goto(fakeSite.url())
  await chat.open()
  await expect(chat.panel).toContainText('Opening your conversation…')
  held.resolve()
  await expect(chat.panel.getByRole('button', { name: 'New messages' })).toBeVisible()
  await expect(chat.transcript.getByText('Message 21.')).toBeInViewport()
  await settle(page)
  expect(reportedSeq(scene)).toBe(20)
})

test('messages in an inline chat are unread until the visitor scrolls to it', async ({ page, fakeSite, chat }) => {
  const scene = { page, fakeSite, chat }
  const { token, messages } = fakeSite.contact('Ada Lovelace', 1)
  await openInline(scene)
  await login(scene, token)
  const panel = page.getByRole('region', { name: 'Acme' })
  await expect(panel).toContainText('Message 1.')
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  fakeSite.platform.say(messages, { text: 'It is on its way.' })
  await expect(panel).toContainText('It is on its way.')
  await expect(page).toHaveTitle(/2 unread/)
  await settle(page)
  expect(reportedSeq(scene)).toBe(0)
  await panel.scrollIntoViewIfNeeded()
  await expect.poll(() => reportedSeq(scene)).toBe(2)
  await expect(page).toHaveTitle(/0 unread/)
})
