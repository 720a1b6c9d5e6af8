import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../src/testPort.ts'
import { findViolations } from './axe.ts'
import { createTeam, Desk, openChat } from './deskPage.ts'
import { Chat, expect, test } from './fixtures.ts'
import { startHostPage } from './hostPage.ts'
import { startPlatform } from './processes.ts'
import { choose, messageFiles, pngFile, textFile } from './testFiles.ts'

test('two members and a visitor: looking, typing, the race for a conversation, and handing back', async ({
  page,
  browser,
  platform,
}) => {
  test.slow()
  const team = createTeam(platform, '--handover', 'yes')
  const [nora, sam] = [await Desk.join(browser, team, 'Nora'), await Desk.join(browser, team, 'Sam')]
  const { site, chat } = await openChat(page, team)
  await chat.ask('How do I return something?', /30 days/)
  await nora.open('30 days')
  await sam.open('30 days')

  await test.step('each sees that the other looks and writes, and takes nothing by it', async () => {
    await expect(nora.thread).toContainText('Sam is looking, too')
    await sam.write('Hello, Sam here.')
    await expect(nora.thread).toContainText('Sam is typing')
    await expect(nora.thread).toContainText('The bot is answering')
  })

  const [winner, loser, name] = await test.step('of two who take it over at once, one gets it', async () => {
    await Promise.all([nora.press('a'), sam.press('a')])
    const owns = (desk: Desk) => desk.thread.getByText('You are answering').isVisible()
    await expect.poll(async () => [await owns(nora), await owns(sam)].filter(Boolean)).toEqual([true])
    const [winner, loser, name] = (await owns(nora)) ? [nora, sam, 'Nora'] : [sam, nora, 'Sam']
    await expect(loser.thread).toContainText(`${name} is answering`)
    return [winner, loser, name] as const
  })

  await test.step('who answers all the same is told who it is, and keeps the text', async () => {
    const field = loser.page.getByRole('textbox', { name: 'Write a reply' })
    await field.fill('')
    await loser.reply('Not to be sent.')
    await expect(loser.page.getByRole('alert')).toContainText(`${name} has taken over. Your text is kept.`)
    await expect(field).toHaveValue('Not to be sent.')
    await winner.page.getByRole('textbox', { name: 'Write a reply' }).fill('')
    await winner.reply('Good morning from **the shop**.')
    await expect(chat.transcript.locator('strong')).toHaveText('the shop')
    await expect(loser.log).toContainText('Good morning from the shop.')
    await expect(chat.transcript).not.toContainText('Not to be sent.')
  })

  await test.step('the draft is there after a reload, in its place', async () => {
    await loser.page.reload()
    await expect(loser.page.getByRole('textbox', { name: 'Write a reply' })).toHaveValue('Not to be sent.')
  })

  await test.step('the visitor and the member see each other type and read', async () => {
    await winner.write('x')
    await expect(chat.transcript.getByRole('img', { name: `${name} is typing` })).toBeVisible()
    await chat.say('Good morning.')
    await expect(winner.log).toContainText('Good morning.')
    await expect(winner.log).toContainText('Seen')
  })

  await test.step('handed back, the bot answers again', async () => {
    await winner.page.getByRole('button', { name: 'Hand back' }).click()
    await expect(chat.transcript).toContainText('You’re talking to the assistant again')
    await chat.ask('Which payment methods do you take?', /card/i)
    await expect(loser.thread).toContainText('The bot is answering')
    await expect(loser.log).toContainText(/card/i)
  })

  await test.step('closed, it is gone from the list, and the visitor opens it again', async () => {
    await winner.press('e')
    await expect(winner.page).toHaveURL(/\/desk\/(all|c\/)/)
    await loser.page.goto(`${platform.baseUrl}/desk/closed`)
    await expect(loser.inbox.getByRole('link', { name: /^Guest/ })).toBeVisible()
    await chat.ask('How do I return something?', /30 days/)
    await expect(loser.inbox.getByRole('link', { name: /^Guest/ })).toHaveCount(0)
  })
  for (const desk of [nora, sam]) await desk.close()
  await site.stop()
})

test('files go both ways and are saved, never opened, and a removed message is gone everywhere', async ({
  page,
  browser,
  filesPlatform,
}) => {
  const team = createTeam(filesPlatform, '--attachments', 'yes', '--responder', 'none')
  const nora = await Desk.join(browser, team, 'Nora')
  const { site, chat } = await openChat(page, team)
  await choose(chat, textFile('page.txt', 'One size up.'), pngFile('jacket.png'))
  await chat.send('Look')
  await expect(chat.panel).toContainText('Sent')
  await nora.open('Look')
  await expect(nora.log.getByRole('button', { name: 'Show jacket.png' }).locator('img')).toHaveJSProperty(
    'complete',
    true,
  )
  const saved = nora.page.waitForEvent('download')
  await nora.log.getByRole('link', { name: 'Save page.txt' }).click()
  expect(readFileSync(await (await saved).path(), 'utf8')).toBe('One size up.')
  const address = await nora.log.getByRole('link', { name: 'Save page.txt' }).getAttribute('href')
  const { headers, status } = await nora.page.evaluate(async url => {
    const response = await fetch(url)
    return { status: response.status, headers: Object.fromEntries(response.headers) }
  }, address ?? '')
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'content-disposition': expect.stringMatching(/^attachment/),
    'x-content-type-options': 'nosniff',
  })

  await nora.page.locator('input[type=file]').setInputFiles([pngFile('boots.png')])
  await expect(nora.page.getByRole('button', { name: 'Remove boots.png' })).toBeVisible()
  await nora.reply('These?')
  await expect(messageFiles(chat).getByRole('img', { name: 'boots.png' })).toBeVisible()
  const message = nora.log.getByRole('article').filter({ hasText: 'These?' })
  await message.hover()
  await message.getByRole('button', { name: 'Remove this message' }).click()
  await nora.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(chat.transcript).toContainText('This message was removed.')
  await expect(messageFiles(chat).getByRole('img', { name: 'boots.png' })).toHaveCount(0)
  await expect(nora.log).not.toContainText('These?')
  await nora.close()
  await site.stop()
})

test('a reply outlives a lost connection and a killed platform, and arrives once', async ({ page, browser }) => {
  test.slow()
  const folder = mkdtempSync(join(tmpdir(), 'natter-desk-'))
  const place = { database: join(folder, 'natter.db'), port: await freePort() }
  let platform = await startPlatform(place)
  const team = createTeam(platform, '--responder', 'none')
  const site = await startHostPage({ ...platform, botId: team.botId })
  try {
    const nora = await Desk.join(browser, team, 'Nora')
    const chat = new Chat(page)
    await page.goto(site.url)
    await chat.open()
    await chat.say('Is anybody there?')
    await nora.open('Is anybody there?')

    await nora.page.context().setOffline(true)
    await expect(nora.page.getByRole('status').first()).toHaveText('You’re offline. What you write is kept.')
    await nora.reply('Written offline.')
    await expect(nora.log).toContainText('Will be sent when you’re back')
    await nora.page.context().setOffline(false)
    await expect(chat.transcript).toContainText('Written offline.')

    await platform.stop('SIGKILL')
    await nora.reply('Written while it was down.')
    platform = await startPlatform(place)
    const patient = { timeout: 30_000 }
    await expect(chat.transcript).toContainText('Written while it was down.', patient)
    await chat.say('Thank you.')
    await expect(nora.log).toContainText('Thank you.', patient)
    for (const where of [chat.transcript, nora.log])
      for (const text of ['Written offline.', 'Written while it was down.'])
        await expect(where.getByText(text, { exact: true })).toHaveCount(1)
    await nora.close()
  } finally {
    await site.stop()
    await platform.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a page of a member who has signed out elsewhere does nothing in the name of the next one', async ({
  page,
  browser,
  platform,
}) => {
  const team = createTeam(platform, '--responder', 'none')
  const { site, chat } = await openChat(page, team)
  await chat.say('Is anybody there?')
  const nora = await Desk.join(browser, team, 'Nora')
  // The page doesn't hear that the session has ended, as when the computer slept.
  await nora.page.route('**/desk/api/events*', route => route.abort())
  await nora.open('Is anybody there?')
  await nora.page.route('**/desk/api/**', route => route.abort())
  await nora.reply('From Nora.')
  await expect(nora.log).toContainText('Will be sent when')
  await nora.write('A draft of Nora.')

  const other = await nora.page.context().newPage()
  await other.goto(`${platform.baseUrl}/desk`)
  await other.getByRole('button', { name: 'Your account' }).click()
  await other.getByRole('button', { name: 'Sign out' }).click()
  await expect(other.getByLabel('Email')).toBeVisible()
  await other.close()
  const sam = await Desk.join(nora.page.context(), team, 'Sam')
  await nora.page.unrouteAll()
  await expect(nora.page.getByText('From Nora.')).toHaveCount(0, { timeout: 30_000 })

  await sam.open('Is anybody there?')
  await expect(sam.log).not.toContainText('From Nora.')
  await expect(sam.page.getByRole('textbox', { name: 'Write a reply' })).toHaveValue('')
  await expect(chat.transcript).not.toContainText('From Nora.')
  await sam.close()
  await site.stop()
})

test('every screen has no axe violation, fits into 320 px, and takes right-to-left text as it comes', async ({
  page,
  browser,
  platform,
}) => {
  test.slow()
  const team = createTeam(platform, '--responder', 'none')
  const { page: desk, ...nora } = await Desk.join(browser, team, 'Nora', '--admin')
  const { site, chat } = await openChat(page, team)
  await chat.say('أين طلبي رقم 12؟ <b>HTML</b> **bold** averyveryveryverylongwordthatneverends'.repeat(2))
  const { baseUrl } = platform
  const screens: Record<string, () => Promise<void>> = {
    'the list': async () => {
      await desk.goto(`${baseUrl}/desk/all`)
      await expect(nora.inbox.getByRole('link', { name: /^Guest/ })).toBeVisible()
    },
    'an empty view': async () => {
      await desk.goto(`${baseUrl}/desk/closed`)
      await expect(nora.inbox).toContainText('No closed chats yet.')
    },
    'a conversation': async () => {
      await desk.goto(`${baseUrl}/desk/all`)
      await nora.inbox.getByRole('link', { name: /^Guest/ }).click()
      await expect(nora.log).toContainText('أين طلبي')
      await expect(nora.log.locator('b')).toHaveCount(0)
    },
    'the person': async () => {
      const toggle = desk.getByRole('button', { name: 'About this person' })
      if ((await toggle.isVisible()) && (await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
      await expect(desk.getByRole('complementary', { name: 'Person' })).toBeVisible()
    },
    'a search': async () => {
      await desk.goto(`${baseUrl}/desk/all?query=HTML`)
      await expect(nora.inbox.getByRole('link', { name: /^Guest/ })).toBeVisible()
    },
    'the saved replies': async () => {
      await desk.goto(`${baseUrl}/desk/saved`)
      await expect(desk.getByRole('main')).toContainText('No saved replies yet.')
    },
    'the team': async () => {
      await desk.goto(`${baseUrl}/desk/team`)
      await expect(desk.getByRole('main')).toContainText(`nora.${team.botId}@shop.example`)
    },
    'the audit list': async () => {
      await desk.goto(`${baseUrl}/desk/team/audit`)
      await expect(desk.getByRole('main').getByText('Nora').first()).toBeVisible()
    },
    'the numbers': async () => {
      await desk.goto(`${baseUrl}/desk/numbers`)
      await expect(desk.getByRole('table')).toBeVisible()
    },
    'the keys': async () => {
      await desk.goto(`${baseUrl}/desk/waiting`)
      await desk.getByRole('button', { name: 'Keyboard shortcuts' }).click()
      await expect(desk.getByRole('dialog')).toBeVisible()
    },
    'the account': async () => {
      await desk.goto(`${baseUrl}/desk/waiting`)
      await desk.getByRole('button', { name: 'Your account' }).click()
      await expect(desk.getByRole('button', { name: 'Sign out' })).toBeVisible()
    },
  }
  for (const [name, show] of Object.entries(screens)) {
    await desk.setViewportSize({ width: 1280, height: 800 })
    await desk.emulateMedia({ colorScheme: 'light' })
    await show()
    expect(await findViolations(desk), name).toEqual([])
    await desk.emulateMedia({ colorScheme: 'dark' })
    expect(await findViolations(desk, { colors: true }), `${name}, dark`).toEqual([])
    await desk.emulateMedia({ forcedColors: 'active' })
    expect(await findViolations(desk, { colors: true }), `${name}, forced colours`).toEqual([])
    await desk.emulateMedia({ forcedColors: 'none' })
    await desk.setViewportSize({ width: 320, height: 640 })
    await show()
    expect(await desk.evaluate(() => document.documentElement.scrollWidth), name).toBe(320)
  }
  await desk.context().close()
  await site.stop()
})
