import { createClient } from 'natter/sdk'
import { localeFiles } from '../src/desk/i18n/locales.ts'
import { findViolations } from './axe.ts'
import { startCluster } from './cluster.ts'
import { createTeam, Desk, openChat, type Team } from './deskPage.ts'
import { Chat, expect, test } from './fixtures.ts'
import { startHostPage } from './hostPage.ts'
import { runCli } from './processes.ts'

/** Signs a new contact in on the page. */
async function signIn(chat: Chat, { platform, organizationId, botId }: Team, name: string): Promise<void> {
  const organizationToken = runCli(platform, 'token', 'create', '--organization', organizationId)
  const client = createClient({ ...platform, botId, organizationToken })
  const { id } = await client.contacts.create({ name, email: 'grace@shop.example' })
  const { token } = await client.contactTokens.create({ id })
  await chat.page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
}

test('an admin sets the bot up, answers a contact by a saved reply, finds the conversation, and erases it', async ({
  page,
  browser,
  platform,
}) => {
  test.slow()
  const team = createTeam(platform, '--responder', 'none')
  const site = await startHostPage({ ...platform, botId: team.botId })
  const ada = await Desk.join(browser, team, 'Ada', '--admin')
  const { page: desk } = ada
  const chat = new Chat(page)

  await test.step('the settings of the bot are refused, shown, saved, and seen by visitors', async () => {
    await desk.goto(`${platform.baseUrl}/desk/bots`)
    await desk.getByLabel('Name', { exact: true }).fill('Jackets & Boots')
    await desk.getByLabel('Accent').fill('reddish')
    await expect(desk.getByRole('figure', { name: 'Preview' })).toContainText('Jackets & Boots')
    await desk.getByRole('button', { name: 'Save' }).click()
    await expect(desk.getByRole('alert')).toHaveText('1 field needs a change.')
    await expect(desk.getByLabel('Accent')).toBeFocused()
    await desk.keyboard.press('ControlOrMeta+a')
    await desk.keyboard.type('#0a7c66')
    await desk.getByRole('link', { name: 'Inbox' }).click()
    await desk.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
    await desk.getByRole('button', { name: 'Save' }).click()
    await expect(desk.getByRole('status').filter({ hasText: 'Saved.' })).toBeVisible()
    await page.goto(site.url)
    await chat.open()
    await expect(chat.panel.getByRole('heading').first()).toHaveText('Jackets & Boots')
  })

  await signIn(chat, team, 'Grace Hopper')
  await chat.say('Where is my parcel 4711?')

  await test.step('a saved reply is written once, and fills in who is asked and who answers', async () => {
    await desk.getByRole('link', { name: 'Saved replies' }).click()
    await desk.getByRole('button', { name: 'New saved reply' }).click()
    await desk.getByLabel('Title').fill('Parcel on its way')
    await desk.getByLabel('Text').fill('Dear {{name|customer}}, it is on its way. {{member}}')
    await desk.getByRole('button', { name: 'Save', exact: true }).click()
    await ada.open('Grace Hopper')
    await ada.write('/parc')
    await expect(desk.getByRole('option', { name: /Parcel on its way/ })).toBeVisible()
    await desk.keyboard.press('Enter')
    await expect(desk.getByRole('textbox', { name: 'Write a reply' })).toHaveValue(
      'Dear Grace Hopper, it is on its way. Ada',
    )
    await desk.keyboard.press('ControlOrMeta+Enter')
    await expect(chat.transcript).toContainText('Dear Grace Hopper, it is on its way. Ada')
  })

  await test.step('a search finds it by a message and by the person, and nothing else', async () => {
    await ada.press('/')
    for (const query of ['parcel 47', 'hopper']) {
      await desk.keyboard.press('ControlOrMeta+a')
      await desk.keyboard.type(query)
      await expect.poll(() => new URL(desk.url()).searchParams.get('query')).toBe(query)
      await expect(ada.inbox.getByRole('link', { name: /^Grace Hopper/ })).toBeVisible()
    }
    await desk.keyboard.press('ControlOrMeta+a')
    await desk.keyboard.type('umbrella')
    await expect(ada.inbox).toContainText('Nothing found.')
  })

  await test.step('the contact is signed out everywhere, exported, and erased', async () => {
    await ada.open('Grace Hopper')
    const choose = async (action: string) => {
      await desk.getByRole('button', { name: 'What you can do about this person' }).click()
      await desk.getByRole('button', { name: action }).click()
      return desk.getByRole('dialog')
    }
    const confirm = async (action: string) => (await choose(action)).getByRole('button', { name: action }).click()
    const saved = desk.waitForEvent('download')
    await confirm('Export')
    expect((await saved).suggestedFilename()).toMatch(/^contact-.+\.json$/)
    await confirm('Sign out everywhere')
    await expect(chat.panel).toContainText('Your session has ended.')
    const question = await choose('Erase')
    await expect(question.getByRole('button', { name: 'Erase' })).toBeDisabled()
    await question.getByRole('textbox').fill('Grace Hopper')
    await question.getByRole('button', { name: 'Erase' }).click()
    await desk.goto(`${platform.baseUrl}/desk/all`)
    await expect(ada.inbox).toContainText('No chats yet.')
    await desk.goto(`${platform.baseUrl}/desk/team/audit`)
    for (const done of ['Exported', 'Signed out everywhere', 'Erased'])
      await expect(ada.thread.getByText(done, { exact: true })).toBeVisible()
    await expect(ada.thread).not.toContainText('Grace')
  })
  await ada.close()
  await site.stop()
})

test('a member who is removed while writing sees nothing any more, and nothing of it is sent', async ({
  page,
  browser,
  platform,
}) => {
  const team = createTeam(platform, '--responder', 'none')
  const [ada, nora] = [await Desk.join(browser, team, 'Ada', '--admin'), await Desk.join(browser, team, 'Nora')]
  const { site, chat } = await openChat(page, team)
  await chat.say('Is anybody there?')
  await nora.open('Is anybody there?')
  await nora.reply('Yes, I am.')
  await expect(chat.transcript).toContainText('Yes, I am.')
  await chat.say('Wonderful.')
  await nora.write('Half of an answ')
  await ada.page.goto(`${platform.baseUrl}/desk/team`)
  await ada.page.getByRole('button', { name: 'Edit Nora' }).click()
  await ada.page.getByRole('button', { name: 'Remove from the team' }).click()
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Remove from the team' }).click()
  await expect(nora.page.getByText('Your session has ended. Please sign in again.')).toBeVisible()
  await expect(nora.page.getByText(/Half of an answ|Wonderful/)).toHaveCount(0)
  await nora.page.goBack()
  await expect(nora.page.getByLabel('Password')).toBeVisible()
  await expect(nora.page.getByText('Wonderful')).toHaveCount(0)
  // Whom she has answered waits for somebody else.
  await ada.page.goto(`${platform.baseUrl}/desk/waiting`)
  await ada.inbox.getByRole('link', { name: /Wonderful/ }).click()
  await expect(ada.page.getByRole('textbox', { name: 'Write a reply' })).toHaveValue('')
  await ada.reply('Nora had to leave.')
  await expect(chat.transcript).toContainText('Nora had to leave.')
  await expect(chat.transcript).not.toContainText('Half of an')
  for (const desk of [ada, nora]) await desk.close()
  await site.stop()
})

test('members and a visitor on different nodes see each other, also after one was killed', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000)
  const cluster = await startCluster()
  const { deployment, nodes, siteUrl } = cluster
  const bot = runCli(deployment, 'bot', 'show', deployment.botId, '--json')
  const { organizationId } = JSON.parse(bot) as { organizationId: string }
  const join = (name: string, node: number) => {
    const baseUrl = new URL(deployment.apis[node] ?? '').origin
    return Desk.join(browser, { platform: { ...deployment, baseUrl }, botId: deployment.botId, organizationId }, name)
  }
  try {
    const [nora, sam] = [await join('Nora', 0), await join('Sam', 1)]
    const chat = new Chat(page)
    await page.goto(siteUrl)
    await chat.open()
    await chat.say('Is anybody there?')
    await nora.open('Guest')
    await sam.open('Guest')
    await expect(nora.thread).toContainText('Sam is looking, too')
    await sam.write('Hel')
    await expect(nora.thread).toContainText('Sam is typing')
    await sam.page.getByRole('textbox', { name: 'Write a reply' }).fill('')
    await Promise.all([nora.press('a'), sam.press('a')])
    const owns = (desk: Desk) => desk.thread.getByText('You are answering').isVisible()
    await expect.poll(async () => [await owns(nora), await owns(sam)].filter(Boolean)).toEqual([true])
    const winner = (await owns(nora)) ? nora : sam
    await winner.reply('Good morning.')
    await expect(chat.transcript).toContainText('Good morning.')

    await nodes[0]?.kill()
    const patient = { timeout: 30_000 }
    await chat.say('Are you still there?')
    await expect(sam.log).toContainText('Are you still there?', patient)
    await nodes[0]?.serve()
    await expect(nora.log).toContainText('Are you still there?', patient)
    for (const desk of [nora, sam])
      for (const text of ['Good morning.', 'Are you still there?'])
        await expect(desk.log.getByText(text, { exact: true })).toHaveCount(1)
    for (const desk of [nora, sam]) await desk.close()
  } finally {
    await cluster.stop()
  }
})

test('every language fits into 320 px and into a window, and runs in its direction', async ({
  page,
  browser,
  platform,
}) => {
  test.setTimeout(600_000)
  const team = createTeam(platform, '--responder', 'none')
  const { site, chat } = await openChat(page, team)
  const ada = await Desk.join(browser, team, 'Ada', '--admin')
  const storageState = await ada.page.context().storageState()
  await ada.close()
  await chat.say('Is anybody there?')
  for (const locale of Object.keys(localeFiles)) {
    const context = await browser.newContext({ locale, storageState })
    const desk = await context.newPage()
    for (const [width, height] of [
      [320, 640],
      [1280, 800],
    ] as const) {
      await desk.setViewportSize({ width, height })
      for (const path of ['waiting', 'c', 'saved', 'team', 'team/audit', 'bots', 'numbers']) {
        if (path === 'c') await desk.getByText('Is anybody there?').first().click()
        else await desk.goto(`${platform.baseUrl}/desk/${path}`)
        await expect(desk.getByRole('heading').first()).toBeVisible()
        const shown = await desk.evaluate(() => {
          const { dir, lang, scrollWidth } = document.documentElement
          return { dir, language: new Intl.Locale(lang).language, scrollWidth }
        })
        const dir = /^(ar|fa|he|ur)/.test(locale) ? 'rtl' : 'ltr'
        const { language } = new Intl.Locale(locale)
        expect(shown, `${locale} ${path} ${width}`).toEqual({ dir, language, scrollWidth: width })
      }
    }
    if (locale === 'ar') expect(await findViolations(desk)).toEqual([])
    await context.close()
  }
  await site.stop()
})
