import { expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { adaToken, createAcme } from '../testing/fixtures.ts'

it.each([
  ['the bot has answered', { author: 'bot' }],
  ['somebody of the team has written', { author: 'agent' }],
  ['a message of the visitor has been stored', null],
] as const)(
  'does not say that the chat is unavailable once %s, and goes on asking for its profile',
  async (_, answer) => {
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
    if (answer) platform.say(messages, { text: 'Here I am', ...answer })
    else tab.core.models.conversation.outbox.send('Is anybody there?')
    await settle()
    expect(botProfile.status.value).toBe('loading')
    await clock.advance(60_000)
    expect(botProfile.status.value).toBe('loading')
    expect(tab.events.filter(([name]) => name === 'error')).toEqual([['error', { code: 'bot_unavailable' }]])
    platform.intercept = () => undefined
    await clock.advance(60_000)
    expect(botProfile.status.value).toBe('ready')
  },
)
