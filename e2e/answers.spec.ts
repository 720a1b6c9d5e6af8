import { botProfile, reply } from '../src/widget/testing/fakePlatform.ts'
import { expect, test } from './fakeSite.ts'

test('an answer can be stopped, and shows its sources', async ({ page, fakeSite, chat }) => {
  await page.goto(fakeSite.url())
  await chat.open()
  await chat.say('How do I return it?')
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  const { messages } = fakeSite.visitor()
  await test.step('the visitor stops it by mouse or keyboard, and keeps what has come of it and the text in the composer', async () => {
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
    fakeSite.platform.emit(messages, { event: 'typing', data: { author: 'bot', id: 'two', thinking: true } })
    await expect(chat.transcript).toContainText('Thinking…')
    await expect(stop).toBeVisible()
    await page.keyboard.press('Tab')
    await expect(stop).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(send).toBeEnabled()
    await expect(chat.composer).toBeFocused()
    await expect(chat.transcript.getByRole('img')).toHaveCount(0)
    await expect(chat.transcript).not.toContainText('Thinking…')
    await expect.poll(stops).toEqual([{ id: 'one' }, { id: 'two' }])
    await page.keyboard.press('Enter')
    await expect(chat.transcript).toContainText('And in blue?')
  })
  await test.step('the sources are numbered links, which open in a new tab, also after a reload', async () => {
    const sources = [
      { title: 'Returns', url: 'https://shop.example/returns' },
      { title: 'bank.example', url: 'https://evil.example/' },
    ]
    fakeSite.platform.say(messages, { text: 'Within 30 days.', sources })
    const list = chat.transcript.getByRole('list', { name: 'Sources' })
    await expect(list.getByRole('listitem')).toHaveText(['Returns', 'bank.example (evil.example)'])
    await page.context().route('https://shop.example/**', route => route.fulfill({ body: 'Our returns policy' }))
    const [tab] = await Promise.all([page.waitForEvent('popup'), list.getByRole('link', { name: 'Returns' }).click()])
    expect(await tab.evaluate(() => [location.href, window.opener])).toEqual(['https://shop.example/returns', null])
    await tab.close()
    await page.reload()
    await chat.open()
    await expect(list.getByRole('link')).toHaveCount(2)
  })
})

test('a visitor rates an answer by keyboard, also without a network, and finds the rating again', async ({
  page,
  fakeSite,
  chat,
}) => {
  fakeSite.platform.intercept = (_, path) => (path === '' ? reply(200, { ...botProfile, ratings: true }) : undefined)
  await page.goto(fakeSite.url())
  await chat.open()
  await chat.say('Where is my order?')
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  const { messages } = fakeSite.visitor()
  fakeSite.platform.say(messages, { text: 'It is on its way.' })
  const button = (name: string) => chat.transcript.getByRole('button', { name, exact: true })
  await button('Helpful').press('Enter')
  await expect(button('Helpful')).toHaveAttribute('aria-pressed', 'true')
  await expect(button('Helpful')).toBeFocused()
  await expect.poll(() => messages.at(-1)?.rating).toBe('up')

  await page.context().setOffline(true)
  await button('Not helpful').press('Space')
  await expect(button('Not helpful')).toHaveAttribute('aria-pressed', 'true')
  await expect(button('Helpful')).toHaveAttribute('aria-pressed', 'false')
  await page.context().setOffline(false)
  await expect.poll(() => messages.at(-1)?.rating).toBe('down')

  await page.reload()
  await chat.open()
  await expect(button('Not helpful')).toHaveAttribute('aria-pressed', 'true')
  await button('Not helpful').click()
  await expect.poll(() => messages.at(-1)?.rating).toBeUndefined()
})
