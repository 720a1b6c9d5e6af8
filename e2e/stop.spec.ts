import { expect, test } from './fakeSite.ts'

test('the visitor stops a reply by mouse or keyboard, and keeps what has come of it and the text in the composer', async ({
  page,
  fakeSite,
  chat,
}) => {
  await page.goto(fakeSite.url())
  await chat.open()
  await chat.say('How do I return it?')
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  const { messages } = fakeSite.visitor()
  const say = (id: string, text: string) =>
    fakeSite.platform.emit(messages, { event: 'message.delta', data: { id, offset: 0, text } })
  const stops = () => fakeSite.platform.log.filter(({ path }) => path === '/stop').map(({ body }) => body)
  const stop = chat.panel.getByRole('button', { name: 'Stop the answer' })
  const send = chat.panel.getByRole('button', { name: 'Send' })
  await chat.composer.fill('And in blue?')
  say('one', 'First, open the ')
  await expect(send).toHaveCount(0)
  await stop.click()
  await expect.poll(stops).toEqual([{ id: 'one' }])
  await expect(chat.composer).toBeFocused()
  await expect(chat.composer).toHaveValue('And in blue?')
  await expect(send).toBeEnabled()
  fakeSite.platform.say(messages, { id: 'one', text: 'First, open the ' })
  await expect(chat.transcript).toContainText('First, open the')
  fakeSite.platform.emit(messages, { event: 'typing', data: { author: 'bot', id: 'two' } })
  await expect(stop).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(stop).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(send).toBeEnabled()
  await expect(chat.composer).toBeFocused()
  await expect(chat.transcript.getByRole('img')).toHaveCount(0)
  await expect.poll(stops).toEqual([{ id: 'one' }, { id: 'two' }])
  await page.keyboard.press('Enter')
  await expect(chat.transcript).toContainText('And in blue?')
})
