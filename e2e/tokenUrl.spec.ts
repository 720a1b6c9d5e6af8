import type { Page } from '@playwright/test'
import { expect, type FakeSite, test } from './fakeSite.ts'
import { recordFramesOfNextPage, shownTexts } from './shownFrames.ts'

const urlOf = (fakeSite: FakeSite) => fakeSite.url({ 'token-url': '/chat-token', 'title-badge': '' })

/** A new contact called Grace, who has that many messages, signs in at the site and reads her chat. */
async function openAsGrace(page: Page, fakeSite: FakeSite, messages = 2) {
  const grace = fakeSite.contact('Grace', messages)
  fakeSite.signIn.token = grace.token
  await page.goto(urlOf(fakeSite))
  await page.evaluate(() => window.Natter.open())
  await expect(page.getByText(`Message ${messages}.`)).toBeVisible()
  return grace
}

/** Delays the site's answers until `answer` is called, which answers the last question. */
function holdAnswers({ signIn }: FakeSite) {
  let answer = () => {}
  signIn.respond = response => {
    answer = () => void response.writeHead(204).end()
  }
  return () => answer()
}

test('opening the chat shows the conversation of whoever is signed in at the site, and opening it again hides it until the site has answered', async ({
  page,
  fakeSite,
  chat,
}) => {
  await openAsGrace(page, fakeSite)
  await expect(chat.panel.getByText('Chatting as Grace')).toBeVisible()
  await expect(chat.panel.getByRole('textbox')).toBeFocused()
  expect(fakeSite.signIn.questions).toEqual([{ contact: null, token: 'none' }])

  await chat.panel.getByRole('textbox').press('Escape')
  const answer = holdAnswers(fakeSite)
  await page.evaluate(() => window.Natter.open())
  await expect(chat.panel.getByText('Opening your conversation…')).toBeVisible()
  await expect(chat.panel.getByRole('textbox')).toBeFocused()
  await expect(chat.panel).not.toContainText('Message')
  await expect(chat.panel).not.toContainText('Grace')
  await expect.poll(() => fakeSite.signIn.questions.length).toBe(2)
  answer()
  await expect(page.getByText('Message 2.')).toBeVisible()
  await expect(chat.panel.getByRole('textbox')).toBeFocused()
  await expect(chat.panel.getByRole('textbox')).toBeEditable()
})

test('a page load after the site has signed the contact out, or somebody else in, never shows a frame of their chat', async ({
  page,
  fakeSite,
  chat,
}) => {
  await recordFramesOfNextPage(page)
  await test.step('nobody is signed in', async () => {
    const grace = await openAsGrace(page, fakeSite)
    fakeSite.signIn.token = null
    fakeSite.platform.say(grace.messages, { text: 'Message 3.' })
    await page.reload()
    await page.evaluate(() => window.Natter.open())
    await expect(chat.panel.getByText('Opening your conversation…')).toBeHidden()
    await expect.poll(() => page.evaluate(() => window.Natter.auth.state)).toBe('anonymous')
    await expect(chat.transcript).toContainText('Hello')
    const texts = await shownTexts(page)
    expect(texts).toContain('Acme')
    for (const word of ['Message', 'Grace', '(1)', 'unread']) expect(texts).not.toContain(word)
    await expect.poll(() => fakeSite.platform.sessions.get(grace.token)?.ended).toBe('logged_out')
  })
  await test.step('somebody else is signed in', async () => {
    const grace = await openAsGrace(page, fakeSite)
    const ada = fakeSite.contact('Ada', 4)
    fakeSite.signIn.token = ada.token
    await page.reload()
    await page.evaluate(() => window.Natter.open())
    await expect(page.getByText('Message 4.')).toBeVisible()
    const texts = await shownTexts(page)
    expect(texts).toContain('Message 4.')
    expect(texts).not.toContain('Grace')
    await expect.poll(() => fakeSite.platform.sessions.get(grace.token)?.ended).toBe('logged_out')
  })
})

test('a sign-out is one in all tabs and pages', async ({ page, fakeSite, context, chat }) => {
  await test.step('at the site: a sign-out in one tab clears the chat of a second tab', async () => {
    await openAsGrace(page, fakeSite)
    const second = await context.newPage()
    await second.goto(urlOf(fakeSite))
    await second.evaluate(() => window.Natter.open())
    await expect(second.getByText('Message 2.')).toBeVisible()
    fakeSite.signIn.token = null
    await page.evaluate(() => window.Natter.auth.refresh())
    await expect(page.getByText('Message 2.')).toBeHidden()
    await expect(second.getByText('Message 2.')).toBeHidden()
    await second.close()
  })
  await test.step('in the page: opening the chat does not sign the visitor in again, in any later page, until refresh() is called', async () => {
    const { token } = await openAsGrace(page, fakeSite)
    await page.evaluate(() => window.Natter.auth.contacts.logout())
    fakeSite.signIn.questions.length = 0
    await page.reload()
    await page.evaluate(() => window.Natter.open())
    await expect(chat.panel.getByRole('textbox')).toBeFocused()
    await expect(chat.panel).not.toContainText('Message')
    expect(fakeSite.signIn.questions).toEqual([])
    expect(fakeSite.platform.sessions.get(token)?.ended).toBe('logged_out')
    fakeSite.signIn.token = fakeSite.contact('Grace', 3).token
    await page.evaluate(() => window.Natter.auth.refresh())
    await expect(page.getByText('Message 3.')).toBeVisible()
  })
})

test('while the site’s answer can’t be used the chat is blank, and nothing is lost', async ({
  page,
  fakeSite,
  chat,
}) => {
  await openAsGrace(page, fakeSite)
  await test.step('the site can’t be reached: the chat says that it reconnects', async () => {
    fakeSite.signIn.respond = response => void response.writeHead(500).end()
    await page.reload()
    await page.evaluate(() => window.Natter.open())
    await expect(chat.panel.getByText('Reconnecting…')).toBeVisible()
    await expect(chat.panel).not.toContainText('Message')
    fakeSite.signIn.respond = undefined
    await expect(page.getByText('Message 2.')).toBeVisible({ timeout: 20_000 })
  })
  await test.step('the site redirects to a sign-in page: its owner is told', async () => {
    fakeSite.signIn.respond = response => void response.writeHead(302, { location: '/' }).end()
    const errors: string[] = []
    page.on('console', message => message.type() === 'error' && errors.push(message.text()))
    await page.reload()
    await page.evaluate(() => window.Natter.open())
    await expect.poll(() => errors.join()).toContain('/chat-token redirected to another address')
    await expect(chat.panel).not.toContainText('Message')
    fakeSite.signIn.respond = undefined
    await page.evaluate(() => window.Natter.auth.refresh())
    await expect(page.getByText('Message 2.')).toBeVisible()
  })
})

test('nothing that was written for one person goes to the person who has signed in meanwhile', async ({
  page,
  fakeSite,
  chat,
}) => {
  const composer = chat.panel.getByRole('textbox')
  await test.step('what a visitor has written before refresh(), who could not write while the site was asked', async () => {
    holdAnswers(fakeSite)
    await page.goto(urlOf(fakeSite))
    await page.evaluate(() => window.Natter.open())
    await expect(composer).toBeFocused()
    await expect(composer).not.toBeEditable()
    await expect(composer).toHaveAttribute('placeholder', 'One moment…')
    await expect(composer).toBeEditable()
    await expect(composer).toBeFocused()
    await composer.fill('Ada’s message')
    await composer.press('Enter')
    await expect(chat.panel.getByText('Ada’s message')).toBeVisible()
    await composer.fill('Ada’s draft')
    const grace = fakeSite.contact('Grace', 2)
    fakeSite.signIn.token = grace.token
    fakeSite.signIn.respond = undefined
    await page.evaluate(() => window.Natter.auth.refresh())
    await expect(page.getByText('Message 2.')).toBeVisible()
    await expect(chat.panel).not.toContainText('Ada’s')
    await expect(composer).toHaveValue('')
    await composer.fill('Said by herself')
    await composer.press('Enter')
    await expect.poll(() => grace.messages.at(-1)?.text).toBe('Said by herself')
    expect(grace.messages.map(({ text }) => text)).not.toContain('Ada’s message')
  })
  for (const [next, messages] of [
    ['somebody else', 5],
    ['nobody', 6],
  ] as const) {
    await test.step(`what the page says for a stored contact, if ${next} is signed in`, async () => {
      await openAsGrace(page, fakeSite, messages)
      const answer = holdAnswers(fakeSite)
      fakeSite.signIn.questions.length = 0
      await page.reload()
      await page.evaluate(() => window.Natter.message({ text: 'Grace’s message', prefill: 'Grace’s draft' }))
      await expect(chat.panel.getByText('Opening your conversation…')).toBeVisible()
      await expect.poll(() => fakeSite.signIn.questions.length).toBe(1)
      const ada = fakeSite.contact('Ada', 4)
      fakeSite.signIn.token = next === 'nobody' ? null : ada.token
      fakeSite.signIn.respond = undefined
      await page.evaluate(() => window.Natter.auth.refresh())
      await expect(chat.panel.getByText('Opening your conversation…')).toBeHidden()
      if (next === 'somebody else') await expect(page.getByText('Message 4.')).toBeVisible()
      await expect(chat.panel).not.toContainText('Grace')
      await expect(composer).toHaveValue('')
      answer()
      // What the answer lets out is sent with or before this request.
      await page.evaluate(() => fetch('/?answered'))
      const all = [...fakeSite.platform.sessions.values()].flatMap(({ messages }) => messages)
      expect(all.map(({ text }) => text)).not.toContain('Grace’s message')
    })
  }
})

test('a message that was written without a connection waits for the site’s answer, and is dropped for somebody else', async ({
  page,
  fakeSite,
  chat,
  context,
}) => {
  const grace = await openAsGrace(page, fakeSite)
  await context.setOffline(true)
  const composer = chat.panel.getByRole('textbox')
  await composer.fill('Grace’s message')
  await composer.press('Enter')
  await expect(chat.panel.getByText('Grace’s message')).toBeVisible()
  const ada = fakeSite.contact('Ada', 4)
  fakeSite.signIn.token = ada.token
  let answer = () => {}
  const asked = new Promise<void>(resolve => {
    fakeSite.signIn.respond = response => {
      answer = () => void response.writeHead(200).end(JSON.stringify({ data: { token: ada.token } }))
      resolve()
    }
  })
  await page.evaluate(() => void window.Natter.auth.refresh())
  await expect(chat.panel.getByText('Grace’s message')).toBeHidden()
  await context.setOffline(false)
  await asked
  // The connection is back, so a message that does not wait is sent with or before this request.
  await page.evaluate(() => fetch('/?online'))
  expect(grace.messages).toHaveLength(2)
  answer()
  await expect(page.getByText('Message 4.')).toBeVisible()
  const all = [...grace.messages, ...ada.messages].map(({ text }) => text)
  expect(all).not.toContain('Grace’s message')
})
