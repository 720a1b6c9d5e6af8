import { Chat, expect, test } from './fixtures.ts'
import { startHostPage } from './hostPage.ts'
import { createBot, runCli } from './processes.ts'

test('an invited person joins, signs in again, and answers a visitor', async ({ page, browser, platform }) => {
  const { baseUrl } = platform
  // A team of its own: the platform has chats of other tests.
  const botId = createBot(platform, 'http://127.0.0.1:*')
  runCli(platform, 'bot', 'update', botId, '--responder', 'none')
  const { organizationId } = JSON.parse(runCli(platform, 'bot', 'show', botId, '--json')) as { organizationId: string }
  const team = ['--organization', organizationId, '--base-url', baseUrl]
  const invitation = runCli(platform, 'desk', 'invite', 'nora@shop.example', '--admin', ...team)
  const hostPage = await startHostPage({ ...platform, botId })
  const context = await browser.newContext()
  const desk = await context.newPage()
  const inbox = desk.getByRole('region', { name: 'Conversations' })

  await test.step('the link of the invitation leads to the inbox', async () => {
    await desk.goto(invitation)
    await expect(desk).toHaveURL(`${baseUrl}/desk/invite`)
    await desk.getByLabel('Your name').fill('Nora')
    await desk.getByLabel('Password').fill('correct horse battery')
    await desk.getByRole('button', { name: 'Join' }).click()
    await expect(desk).toHaveURL(`${baseUrl}/desk/waiting`)
    await expect(inbox).toContainText('Nobody is waiting.')
  })

  await test.step('the link works once', async () => {
    await desk.goto(invitation)
    await expect(desk.getByRole('heading')).toHaveText('This invitation has ended')
    await desk.goto(`${baseUrl}/desk/waiting`)
  })

  await test.step('who signs out leaves nothing in the page, and can sign in with email and password', async () => {
    await desk.evaluate(() => Object.assign(window, { former: 'kept' }))
    await desk.getByRole('button', { name: 'Your account' }).click()
    const reloaded = desk.waitForEvent('load')
    await desk.getByRole('button', { name: 'Sign out' }).click()
    await reloaded
    expect(await desk.evaluate(() => 'former' in window)).toBe(false)
    await desk.getByLabel('Email').fill('nora@shop.example')
    await desk.getByLabel('Password').fill('something else')
    await desk.getByRole('button', { name: 'Sign in' }).click()
    await expect(desk.getByRole('alert')).toHaveText('Email or password is wrong.')
    await desk.getByLabel('Password').fill('correct horse battery')
    await desk.keyboard.press('Enter')
    await expect(inbox).toContainText('Nobody is waiting.')
  })

  const chat = new Chat(page)
  await test.step("a visitor's message appears in the list without a reload, and in the title", async () => {
    await page.goto(hostPage.url)
    await chat.open()
    await chat.say('Is anybody there?')
    await expect(inbox.getByRole('link', { name: /^Guest.*Is anybody there\?$/ })).toBeVisible()
    await expect(desk).toHaveTitle(/^\(1\) /)
  })

  await test.step('the keys open the conversation and answer it, and the reply arrives at the visitor', async () => {
    await desk.keyboard.press('j')
    await desk.keyboard.press('Enter')
    await expect(desk).toHaveURL(/\/desk\/c\/[^/]+\?view=waiting$/)
    await expect(desk.getByRole('log')).toContainText('Is anybody there?')
    await desk.keyboard.press('r')
    await desk.keyboard.type('Yes, I am.')
    await desk.keyboard.press('ControlOrMeta+Enter')
    await expect(chat.transcript).toContainText('Yes, I am.')
    await expect(chat.transcript).toContainText('Nora')
  })

  await test.step('a note stays with the team', async () => {
    await desk.keyboard.press('Escape')
    await desk.keyboard.press('n')
    await desk.keyboard.type('A regular customer.')
    await desk.keyboard.press('ControlOrMeta+Enter')
    await expect(desk.getByRole('log')).toContainText('A regular customer.')
    // What comes later has come, so the note would have, too.
    await desk.keyboard.press('Escape')
    await desk.keyboard.press('r')
    await desk.keyboard.type('What can I do for you?')
    await desk.keyboard.press('ControlOrMeta+Enter')
    await expect(chat.transcript).toContainText('What can I do for you?')
    await expect(chat.transcript).not.toContainText('regular')
    await page.reload()
    await chat.open()
    await expect(chat.transcript).toContainText('What can I do for you?')
    await expect(chat.transcript).not.toContainText('regular')
  })

  await test.step('the conversation is hers, and the back button returns to the list', async () => {
    await desk.goBack()
    await expect(desk).toHaveURL(`${baseUrl}/desk/waiting`)
    await expect(inbox).toContainText('Nobody is waiting.')
    await desk.getByRole('link', { name: /^Mine/ }).click()
    await expect(inbox.getByRole('link', { name: /You: What can I do for you\?$/ })).toBeVisible()
  })
  await test.step('who is removed sees nothing any more, at once', async () => {
    runCli(platform, 'desk', 'remove', 'nora@shop.example')
    await expect(desk.getByText('Your session has ended. Please sign in again.')).toBeVisible()
    await expect(desk.getByText('Yes, I am.')).toHaveCount(0)
    await desk.goBack()
    await expect(desk.getByLabel('Password')).toBeVisible()
  })
  await context.close()
  await hostPage.stop()
})
