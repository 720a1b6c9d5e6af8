import type { Page } from '@playwright/test'
import { expect, test } from './attachmentFixtures.ts'
import { openControlledPage, readCaches, strategies } from './controlledPage.ts'
import { pngFile } from './testFiles.ts'

const login = (page: Page, token: string) =>
  page.evaluate(async token => (await window.Natter.auth.contacts.login({ token })).contact?.name, token)

test("a service worker never shows another person's chat and caches nothing of it, and no file", async ({
  page,
  filesPlatform,
  chat,
  client,
  filesOf,
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
      await openControlledPage(page, filesPlatform, strategy)
      await chat.open()
      for (const { id, name, token } of contacts) {
        expect(await login(page, token)).toBe(name)
        await expect(chat.panel).toContainText(`Chatting as ${name}`)
        await expect(chat.transcript).toContainText(`Dear ${name}`)
        await chat.say(`I am ${name}`)
        await client.conversations.messages.send({ contactId: id }, { text: `Live for ${name}` })
        await expect(chat.transcript).toContainText(`Live for ${name}`)
        await (await filesOf(id)).send(`See, ${name}`, pngFile('private.png'))
        await expect(chat.panel.locator('canvas')).toBeVisible()
      }
      const grace = contacts[1]
      await expect(chat.panel).not.toContainText('Ada')
      const messages = await client.conversations.messages.list({ contactId: grace?.id ?? '' })
      expect(messages.map(({ text }) => text)).toEqual([
        'Dear Grace Hopper',
        'I am Grace Hopper',
        'Live for Grace Hopper',
        'See, Grace Hopper',
      ])
      await page.evaluate(() => window.Natter.auth.contacts.logout())
      await expect(chat.panel).not.toContainText('Grace')
      const cached = await readCaches(page)
      const apiUrls = cached.map(({ url }) => url).filter(url => url.includes('/v1/'))
      expect(apiUrls).toEqual([`${filesPlatform.baseUrl}/v1/bots/${filesPlatform.botId}/widget`])
      const secrets = contacts.flatMap(({ name, token }) => [name, token])
      expect(cached.filter(({ body }) => secrets.some(secret => body.includes(secret))).map(({ url }) => url)).toEqual(
        [],
      )
    })
  }
})
