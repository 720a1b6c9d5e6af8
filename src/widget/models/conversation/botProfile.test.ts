import { expect, it } from 'vitest'
import { settle } from '../../testing/fakeClock.ts'
import { problem } from '../../testing/fakePlatform.ts'
import { adaToken, createAcme } from '../../testing/fixtures.ts'

it('does not say that the bot is unavailable once it has answered, and goes on asking for its profile', async () => {
  const { platform, browser, said } = createAcme()
  const { clock } = browser
  const messages = said(adaToken)
  platform.intercept = (_, path) => (path === '' ? problem(503, 'unavailable') : undefined)
  const tab = browser.openTab({ start: false })
  const { botProfile } = tab.core.models.conversation
  void botProfile.load()
  await tab.core.login(adaToken)
  await settle()
  expect(botProfile.status.value).toBe('unavailable')
  platform.say(messages, { text: 'Here I am' })
  await settle()
  expect(botProfile.status.value).toBe('loading')
  await clock.advance(60_000)
  expect(botProfile.status.value).toBe('loading')
  expect(tab.events.filter(([name]) => name === 'error')).toEqual([['error', { code: 'bot_unavailable' }]])
  platform.intercept = () => undefined
  await clock.advance(60_000)
  expect(botProfile.status.value).toBe('ready')
})
