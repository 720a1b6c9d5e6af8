import type { Locator } from '@playwright/test'
import type { NatterChatElement } from 'natter/element'
import { createClient } from 'natter/sdk'
import { findInChat } from './chatData.ts'
import { expect, test } from './fixtures.ts'
import { openHtmlPage } from './htmlPage.ts'
import { runCli } from './processes.ts'

test('two bots on a page are independent: each has its own identity, storage and stream', async ({
  page,
  platform,
}) => {
  const organization = runCli(platform, 'org', 'create', '--name', 'Other')
  const of = ['--organization', organization]
  const botId = runCli(platform, 'bot', 'create', ...of, '--name', 'Other', '--origin', 'http://127.0.0.1:*')
  const other = { ...platform, botId, organizationToken: runCli(platform, 'token', 'create', ...of) }
  const [ada, bea] = await Promise.all(
    [platform, other].map(async (settings, at) => {
      const client = createClient(settings)
      const email = `${crypto.randomUUID()}@example.com`
      await client.contacts.create({ name: ['Ada Lovelace', 'Bea Smith'][at] ?? '', email })
      return (await client.contactTokens.create({ email })).token
    }),
  )
  /** Bot, token and path of each request. */
  const requests = new Set<string>()
  page.on('request', request => {
    const [, bot, path] = /\/bots\/([^/]+)\/widget((?:\/\w+)+)/.exec(request.url()) ?? []
    const token = request.headers()['authorization']
    if (token) requests.add(`${bot} ${token} ${path}`)
  })
  const element = (bot: string) => `<natter-chat bot-id="${bot}" style="height:300px"></natter-chat>`
  await openHtmlPage(
    page,
    `<script src="${platform.baseUrl}/natter.js" async></script>${element(platform.botId)}${element(botId)}`,
  )
  const [first, second] = [platform.botId, botId].map(bot => page.locator(`natter-chat[bot-id="${bot}"]`)) as [
    Locator,
    Locator,
  ]
  for (const [chat, token, text] of [
    [first, ada, 'To the first'],
    [second, bea, 'To the second'],
  ] as const) {
    await chat.evaluate(
      (element, token) => (element as NatterChatElement).widget?.auth.contacts.login({ token }),
      token,
    )
    await chat.getByRole('textbox').fill(text)
    await chat.getByRole('textbox').press('Enter')
    await expect(chat.getByRole('log')).toContainText('Sent')
  }
  await expect(first).toContainText('Chatting as Ada Lovelace')
  await expect(first).not.toContainText(/Bea|To the second/)
  await expect(second).toContainText('Chatting as Bea Smith')
  await expect(second).not.toContainText(/Ada|To the first/)
  for (const path of ['/session/retrieve', '/messages', '/events/stream']) {
    await expect.poll(() => [...requests]).toContain(`${platform.botId} Bearer ${ada} ${path}`)
    await expect.poll(() => [...requests]).toContain(`${botId} Bearer ${bea} ${path}`)
  }
  const allRequests = [...requests]
  expect(allRequests.filter(each => each.startsWith(botId) === each.includes(`${ada}`))).toEqual([])

  await first.evaluate(element => (element as NatterChatElement).widget?.auth.contacts.logout())
  await expect(first).not.toContainText('Ada')
  expect(await findInChat(page, /Ada|To the first/)).toEqual([])
  await page.reload()
  await expect(second).toContainText('Chatting as Bea Smith')
  await expect(second.getByRole('log')).toContainText('To the second')
  await expect(first.getByRole('textbox')).toBeVisible()
  await expect(first).not.toContainText('Chatting as')
})
