import { expect, test } from './fixtures.ts'

test('Markdown stays plain text when its renderer fails to load, and is rendered with the next Markdown message', async ({
  shop,
  client,
}) => {
  await shop.visit()
  await shop.signIn('Grace')
  await shop.page.route('**/markdown-*.js*', route => route.abort())
  await shop.chat.open()
  const { data } = await client.contacts.search({ query: 'grace@' })
  const send = (text: string) =>
    client.conversations.messages.send({ contactId: data[0]?.id ?? '' }, { text, format: 'markdown', handBack: true })
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
  const failed = shop.page.waitForEvent('requestfailed', request => request.url().includes('/markdown-'))
  await send(`**${first}**`)
  await failed
  await expect(shop.chat.transcript).toContainText(`**${first}**`)
  await shop.page.unrouteAll()
  await send(`**${second}**`)
  for (const text of [first, second])
    await expect(shop.chat.transcript.locator('strong', { hasText: text })).toHaveCount(1)
  await expect(shop.chat.transcript).not.toContainText('**')
})
