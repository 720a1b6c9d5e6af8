import { botProfile, reply } from '../src/widget/testing/fakePlatform.ts'
import { expect, test } from './fakeSite.ts'

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
