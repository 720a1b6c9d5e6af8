import { findViolations } from './axe.ts'
import { button, log, press, tab } from './demoPage.ts'
import { expect, test } from './fixtures.ts'

test('the control panel answers as an agent: writes, types, sends files, removes a message and hands back', async ({
  shop,
  page,
}) => {
  await test.step('who asks for a person as a guest gets an answer of the agent', async () => {
    await shop.visit()
    await shop.chat.open()
    await tab(page, 'People').click()
    await press(button(page, 'Talk to a person'))
    await expect(shop.chat.transcript).toContainText('We’ve let the team know.')
    await press(button(page, 'Send'))
    await expect(shop.chat.transcript).toContainText('Nora joined')
    await expect(shop.chat.panel.getByRole('heading', { name: 'Nora' })).toBeVisible()
  })

  await test.step('a contact is answered by writing, typing and files; a message is removed, and the bot takes over', async () => {
    await shop.chat.composer.press('Escape')
    await shop.signIn('Grace')
    await shop.chat.open()
    const { transcript } = shop.chat
    await tab(page, 'Session').press('ArrowRight')
    await expect(tab(page, 'People')).toBeFocused()
    await expect(page.getByRole('tabpanel')).toHaveCount(1)
    const agentMessage = page.getByLabel('Nora of the shop writes')
    await agentMessage.fill('A parcel is **on its way**.')
    await press(button(page, 'Send'))
    await expect(transcript.locator('strong')).toHaveText('on its way')
    await expect(transcript).toContainText('Nora joined')
    // Typing is not stored, so a chat whose stream is still being opened does not learn of it.
    await expect(async () => {
      await press(button(page, 'Show typing'))
      await expect(transcript.getByRole('img', { name: 'Nora is typing' })).toBeVisible({ timeout: 2000 })
    }).toPass()
    await shop.chat.say('Which sizes do you have?')
    await agentMessage.fill('These are the boots.')
    await press(button(page, 'Send with files'))
    await expect(transcript.locator('canvas')).toHaveCount(1)
    await expect(transcript.getByRole('button', { name: 'Care guide.txt' })).toBeVisible()
    await press(button(page, 'Remove the last message'))
    await expect(transcript).toContainText('This message was removed.')
    await expect(transcript.locator('canvas')).toHaveCount(0)
    await press(button(page, 'Hand back to the bot'))
    await expect(transcript).toContainText('You’re talking to the assistant again')
    await expect(log(page)).toContainText(/POST …\/contacts\/{id}\/messages204/)
    await press(button(page, 'Return something'))
    await expect(transcript).toContainText('30 days')
    // The bot was silent while the agent had taken over.
    await expect(transcript).not.toContainText('EU 36')
  })
})

test('the control panel switches appearance, language, network and session, and keeps them in the URL', async ({
  shop,
  page,
}) => {
  const { chat } = shop
  await shop.visit()
  await tab(page, 'Session').press('End')
  await tab(page, 'States').press('ArrowLeft')
  /** Each choice reloads the page, which keeps the focus on the chosen link. */
  const choose = async (group: string, name: string) => {
    const link = page.getByRole('list', { name: group }).getByRole('link', { name })
    await press(link)
    await expect(link).toHaveAttribute('aria-current', 'true')
    await expect(link).toBeFocused()
  }
  await choose('Theme', 'Dark')
  await page.getByLabel('Language').selectOption('العربية')
  await choose('Position', 'Start')
  expect(new URL(page.url()).search).toBe('?theme=dark&locale=ar&position=start')
  expect((await chat.launcher.boundingBox())?.x).toBeLessThan(100)
  await chat.open()
  await expect(chat.panel).toHaveCSS('background-color', 'rgb(21, 23, 28)')
  await expect(chat.composer).toHaveAttribute('placeholder', 'اكتب رسالة')
  // The language changes immediately while the chat is open.
  await page.getByLabel('Language').selectOption('English')
  await expect(chat.composer).toHaveAttribute('placeholder', 'Write a message')
  const network = page.getByLabel('Network')
  await network.selectOption('Offline')
  await expect(chat.panel).toContainText('You’re offline')
  await chat.send('Written offline')
  await expect(chat.panel).toContainText('Waiting to send')
  await network.selectOption('As it is')
  await expect(chat.panel).toContainText('Sent')

  // The shop is asked for another token, and the conversation continues.
  await tab(page, 'Session').click()
  await press(button(page, 'Sign in as Ada'))
  await expect(shop.state).toHaveText('identified as Ada Lovelace')
  await chat.say('Before it expires')
  // The control panel shows only the beginning of a token, which could be the same.
  const storedToken = () => page.evaluate(() => /c:[0-9a-f]{64}/.exec(JSON.stringify({ ...localStorage }))?.[0])
  const expired = await storedToken()
  await press(button(page, 'Expire'))
  await expect.poll(storedToken).not.toBe(expired)
  await chat.say('After it has expired')
  await expect(shop.state).toHaveText('identified as Ada Lovelace')
  await expect(chat.transcript).toContainText('Before it expires')
  await press(button(page, 'Sign out'))

  await tab(page, 'Switches').click()
  await choose('Kept in', 'Memory')
  await choose('Mode', 'Inline')
  await expect(page.locator('#chat [part~="panel"]')).toBeVisible()
  await shop.signIn('Ada')
  await expect(page.locator('[data-token]')).toHaveText('in memory only')
  expect(await page.evaluate(() => Object.values(localStorage).join())).not.toContain('c:')
})

test('axe finds no violation in the open panel and the demo, light or dark, and the demo links to the documentation', async ({
  shop,
  page,
  platform,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await shop.visit()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await findViolations(page, { colors: colorScheme === 'dark' }), `signed out, ${colorScheme}`).toEqual([])
  }
  await shop.signIn('Ada')
  await shop.chat.open()
  await shop.chat.ask('Where is my order?', /tracking link/)
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await findViolations(page, { colors: colorScheme === 'dark' }), `with an open chat, ${colorScheme}`).toEqual(
      [],
    )
  }
  await shop.chat.composer.press('Escape')
  await tab(page, 'People').click()
  expect(await findViolations(page), 'People').toEqual([])
  await tab(page, 'States').click()
  expect(await findViolations(page), 'States').toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await tab(page, 'Switches').click()
  expect(await findViolations(page), 'Switches').toEqual([])
  await page.goto(`${shop.address}/spa/orders`)
  await expect(page.getByTestId('session-state')).toContainText('Ada')
  expect(await findViolations(page), 'the app').toEqual([])

  await test.step('the demo links to the documentation of its platform', async () => {
    await page.setViewportSize({ width: 1280, height: 720 })
    await shop.visit()
    await page.getByRole('link', { name: 'documentation' }).click()
    await expect(page).toHaveURL(`${platform.baseUrl}/docs`)
    await expect(page.getByRole('heading', { name: 'Natter', level: 1 })).toBeVisible()
  })
})
