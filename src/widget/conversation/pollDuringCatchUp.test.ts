import { expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { htmlPage } from '../testing/fakePlatform.ts'
import { adaToken, createAcme } from '../testing/fixtures.ts'

it('the chat says that it reconnects where the network goes while messages before an own one are fetched', async () => {
  const { browser, platform, said } = createAcme()
  const tab = browser.openTab({ start: false })
  platform.intercept = (_, path) => (path === '/events/stream' ? htmlPage(403) : undefined)
  await tab.core.login(adaToken)
  await browser.clock.advance(20_000)
  const { conversation } = tab.core.models
  expect(conversation.connection.value).toBe('withoutStream')
  // A gap: another message has come before the next poll.
  said(adaToken).push({
    id: 'm2',
    seq: 2,
    author: 'bot',
    text: 'Unseen',
    format: 'plain',
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  platform.intercept = (method, path) => {
    if (path === '/events/stream') return htmlPage(403)
    // The train enters a tunnel as soon as the message is stored.
    if (method === 'POST' && path === '/messages') queueMicrotask(() => (platform.down = true))
    return undefined
  }
  conversation.outbox.send('Hello')
  await settle()
  await browser.clock.advance(120_000)
  expect(conversation.connection.value).toBe('reconnecting')
})
