import { expect, test } from './fixtures.ts'

test.describe('an agent of the organization', () => {
  test('an agent of the organization answers a contact, and reaches one who has never written', async ({
    shop,
    client,
  }) => {
    await test.step('reads a conversation, writes into the open widget, and hands back to the bot', async () => {
      await shop.visit()
      await shop.signIn('Ada')
      await shop.chat.open()
      const question = `Is somebody there ${crypto.randomUUID()}`
      await shop.chat.say(question)

      const { data } = await client.conversations.list({ limit: 1 })
      const [{ id, contact } = { id: '', contact: null }] = data
      expect(contact?.name).toBe('Ada Lovelace')
      const read = await client.conversations.messages.list(id)
      expect(read.map(({ text }) => text)).toContain(question)

      const greeting = `Nora here, how can I help ${crypto.randomUUID()}`
      const as = { name: 'Nora' }
      // Typing is not stored. The widget misses it while it connects, so agents repeat it.
      await expect(async () => {
        await client.conversations.showTyping(id, { as })
        await expect(shop.chat.transcript.getByRole('img', { name: 'Nora is typing' })).toBeVisible({ timeout: 2000 })
      }).toPass()
      await client.conversations.messages.send(id, { text: greeting, as })
      await expect(shop.chat.transcript.getByText(greeting)).toHaveCount(1)
      await expect(shop.chat.transcript.getByText('Nora', { exact: true })).toBeVisible()
      await expect(shop.chat.panel.getByRole('heading', { name: 'Nora' })).toBeVisible()
      await expect(shop.chat.transcript.getByText('Nora joined')).toHaveCount(1)

      const secondQuestion = 'How long may I return something?'
      await shop.chat.say(secondQuestion)
      await client.conversations.messages.send(
        { contactId: contact?.id ?? '' },
        { text: 'Let me look', handBack: true },
      )
      await expect(shop.chat.transcript.getByText('Let me look')).toHaveCount(1)
      const lastAuthors = (await client.conversations.messages.list(id)).slice(-4).map(({ author }) => author)
      expect(lastAuthors).toEqual(['agent', 'visitor', 'agent', 'system'])
      await expect(shop.chat.transcript.getByText(/talking to the assistant again/)).toHaveCount(1)
      await shop.chat.ask('Where is my order?', /track/i)
    })

    await test.step('reaches a contact who has never written, on the next visit', async () => {
      await shop.chat.composer.press('Escape')
      await shop.signOut()
      await shop.signIn('Grace')
      const { data } = await client.contacts.search({ query: 'grace@' })
      const text = `Your parcel is here ${crypto.randomUUID()}`
      await client.conversations.messages.send({ contactId: data[0]?.id ?? '' }, { text, handBack: true })
      await shop.visit()
      await expect(shop.chat.launcher).toHaveAccessibleName(/unread/)
      await shop.chat.open()
      await expect(shop.chat.transcript.getByText(text)).toHaveCount(1)
    })
  })
})
