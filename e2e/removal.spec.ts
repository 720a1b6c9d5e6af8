import { findInChat } from './chatData.ts'
import { expect, Shop, test } from './fixtures.ts'

const removed = 'This message was removed.'

test('a message that the organization removes is gone from every tab and its storage, and stays gone', async ({
  shop,
  context,
  client,
}) => {
  await shop.visit()
  await shop.signIn('Ada')
  await shop.chat.open()
  const conversationId = async () => (await client.conversations.list({ limit: 1 })).data[0]?.id ?? ''
  await test.step('while the chat is open', async () => {
    const secret = `hunter2-${crypto.randomUUID()}`
    await shop.chat.say(`My password is ${secret}`)
    const second = new Shop(await context.newPage(), shop.address)
    await second.visit()
    await second.chat.open()
    const tabs = [shop, second]
    for (const { chat, page } of tabs) {
      await expect(chat.transcript.getByText(secret)).toHaveCount(1)
      await expect.poll(() => findInChat(page, secret)).toEqual([secret])
    }

    const id = await conversationId()
    for (const { id: messageId, text } of await client.conversations.messages.list(id)) {
      if (text.includes(secret)) await client.conversations.messages.delete(id, messageId)
    }
    await Promise.all(
      tabs.map(async ({ chat, page }) => {
        await expect(chat.transcript.getByText(removed)).toHaveCount(1)
        await expect.poll(() => findInChat(page, secret)).toEqual([])
      }),
    )
    await second.page.reload()
    await second.chat.open()
    await expect(second.chat.transcript.getByText(removed)).toHaveCount(1)
    await second.page.close()
  })
  await test.step('while the widget is away, it is not shown from its storage', async () => {
    const secret = `hunter2-${crypto.randomUUID()}`
    await shop.chat.say(secret)
    await expect.poll(() => findInChat(shop.page, secret)).toEqual([secret])
    await shop.page.goto('about:blank')
    const id = await conversationId()
    const stored = (await client.conversations.messages.list(id)).find(({ text }) => text === secret)
    await client.conversations.messages.delete(id, stored?.id ?? '')

    const held = Promise.withResolvers<void>()
    await shop.page.route('**/widget/messages/list', async route => {
      await held.promise
      await route.continue()
    })
    const asked = shop.page.waitForRequest('**/widget/messages/list')
    await shop.visit()
    await asked
    await expect.poll(() => findInChat(shop.page, secret)).toEqual([])
    held.resolve()
    await shop.chat.open()
    await expect(shop.chat.transcript.getByText(removed)).toHaveCount(2)
    await expect(shop.chat.transcript.getByText(secret)).toHaveCount(0)
  })
})
