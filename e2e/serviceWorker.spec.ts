import type { Page } from '@playwright/test'
import { openControlledPage, readCaches, strategies } from './controlledPage.ts'
import { Chat, expect, test } from './fixtures.ts'

const login = (page: Page, token: string) =>
  page.evaluate(async token => (await window.Natter.auth.contacts.login({ token })).contact?.name, token)

test("a service worker never shows another person's chat and caches nothing of it", async ({
  page,
  platform,
  client,
}) => {
  for (const [what, strategy] of Object.entries(strategies)) {
    await test.step(`one that ${what}`, async () => {
      const contacts = await Promise.all(
        ['Ada Lovelace', 'Grace Hopper'].map(async name => {
          const { id } = await client.contacts.create({ name, email: `${crypto.randomUUID()}@example.com` })
          const { token } = await client.contactTokens.create({ id })
          await client.conversations.messages.send({ contactId: id }, { text: `Dear ${name}` })
          return { id, name, token }
        }),
      )
      await openControlledPage(page, platform, strategy)
      const chat = new Chat(page)
      await chat.open()
      for (const { id, name, token } of contacts) {
        expect(await login(page, token)).toBe(name)
        await expect(chat.panel).toContainText(`Chatting as ${name}`)
        await expect(chat.transcript).toContainText(`Dear ${name}`)
        await chat.say(`I am ${name}`)
        await client.conversations.messages.send({ contactId: id }, { text: `Live for ${name}` })
        await expect(chat.transcript).toContainText(`Live for ${name}`)
      }
      const grace = contacts[1]
      await expect(chat.panel).not.toContainText('Ada')
      const messages = await client.conversations.messages.list({ contactId: grace?.id ?? '' })
      expect(messages.map(({ text }) => text)).toEqual([
        'Dear Grace Hopper',
        'I am Grace Hopper',
        'Live for Grace Hopper',
      ])
      await page.evaluate(() => window.Natter.auth.contacts.logout())
      await expect(chat.panel).not.toContainText('Grace')
      const cached = await readCaches(page)
      const apiUrls = cached.map(({ url }) => url).filter(url => url.includes('/v1/'))
      expect(apiUrls).toEqual([`${platform.baseUrl}/v1/bots/${platform.botId}/widget`])
      const secrets = contacts.flatMap(({ name, token }) => [name, token])
      expect(cached.filter(({ body }) => secrets.some(secret => body.includes(secret))).map(({ url }) => url)).toEqual(
        [],
      )
    })
  }
})
