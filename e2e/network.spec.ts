import { expect, Shop, test } from './fixtures.ts'

test('messages written offline are sent once when the connection is back', async ({ shop, context }) => {
  const writeOffline = async (text: string) => {
    await context.setOffline(true)
    await expect(shop.chat.panel).toContainText('You’re offline')
    await shop.chat.send(text)
    await expect(shop.chat.panel).toContainText('Waiting to send')
  }
  await shop.visit()
  await shop.signIn('Ada')
  await shop.chat.open()
  const text = `Written offline ${crypto.randomUUID()}`
  await test.step('in an open page', async () => {
    await writeOffline(text)
    await context.setOffline(false)
    await expect(shop.chat.panel).toContainText('Sent')
    await expect(shop.chat.transcript.getByText(text)).toHaveCount(1)
  })
  await test.step('after a reload the message is there once', async () => {
    await shop.page.reload()
    await shop.chat.open()
    await expect(shop.chat.transcript.getByText(text)).toHaveCount(1)
  })
  await test.step('even after the page was closed', async () => {
    const tooEarly = `Closed too early ${crypto.randomUUID()}`
    await writeOffline(tooEarly)
    const reopened = new Shop(await context.newPage(), shop.address)
    await shop.page.close()
    await context.setOffline(false)
    await reopened.visit()
    await reopened.chat.open()
    await expect(reopened.chat.transcript.getByText(tooEarly)).toHaveCount(1)
    await expect(reopened.chat.panel).toContainText('Sent')
  })
})
