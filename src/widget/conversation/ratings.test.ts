import { expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { adaToken, createAcme, graceToken } from '../testing/fixtures.ts'
import { conversationOf, tabsOfAda } from '../testing/tabFixtures.ts'

async function talking() {
  const acme = createAcme()
  const tab = acme.browser.openTab({ start: false })
  await tab.core.login(adaToken)
  await settle()
  const { ratings, messageStore } = conversationOf(tab)
  const messages = acme.said(adaToken)
  const sent = () => acme.platform.log.filter(({ path }) => path === '/rating').map(({ body }) => body)
  return { ...acme, tab, ratings, messageStore, messages, id: messages[0]?.id ?? '', sent }
}

it('shows a rating at once, and the stored one when the platform has it', async () => {
  const { ratings, messageStore, messages, id } = await talking()
  ratings.rate(id, 'up')
  expect(ratings.pending.value.get(id)).toBe('up')
  await settle()
  expect([ratings.pending.value.size, messageStore.messages.value[0]?.rating]).toEqual([0, 'up'])
  expect([messages[0]?.rating, messageStore.revision()]).toEqual(['up', 1])
})

it('sends a rating that was given offline when the network is back, and only the latest', async () => {
  const { platform, tab, ratings, messages, id, browser, sent } = await talking()
  platform.down = true
  tab.setOnline(false)
  ratings.rate(id, 'up')
  ratings.rate(id, null)
  ratings.rate(id, 'down')
  await browser.clock.advance(60_000)
  expect([messages[0]?.rating, ratings.pending.value.get(id)]).toEqual([undefined, 'down'])
  platform.down = false
  tab.setOnline(true)
  await browser.clock.advance(60_000)
  expect([messages[0]?.rating, ratings.pending.value.size]).toEqual(['down', 0])
  expect(sent()).toEqual([{ id, rating: 'down' }])
})

it('sends the last choice, however soon it follows another', async () => {
  const { ratings, messages, id } = await talking()
  for (let turns = 0; turns < 60; turns++) {
    ratings.rate(id, 'up')
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    ratings.rate(id, 'down')
    await settle()
    expect([messages[0]?.rating, ratings.pending.value.size], `after ${turns} turns`).toEqual(['down', 0])
  }
})

it('is sent though storage is blocked', async () => {
  const { browser, said } = createAcme()
  const tab = browser.openTab({ start: false, blocked: true })
  await tab.core.login(adaToken)
  await settle()
  const { ratings } = conversationOf(tab)
  const [message] = said(adaToken)
  ratings.rate(message?.id ?? '', 'up')
  ratings.rate(message?.id ?? '', 'down')
  await settle()
  expect([said(adaToken)[0]?.rating, ratings.pending.value.size]).toEqual(['down', 0])
})

it('shows the stored rating again if the platform refuses another', async () => {
  const { platform, ratings, messageStore, id } = await talking()
  ratings.rate(id, 'up')
  await settle()
  platform.intercept = (_, path) => (path === '/rating' ? problem(404, 'not_found') : undefined)
  ratings.rate(id, 'down')
  await settle()
  expect([ratings.pending.value.size, messageStore.messages.value[0]?.rating]).toEqual([0, 'up'])
})

it('does not take other changes for known that it has not seen', async () => {
  const { platform, messages, messageStore, ratings, id, browser } = await talking()
  platform.say(messages, { text: 'hunter2' })
  await settle()
  platform.intercept = (_, path) => (path === '/events/stream' ? problem(503, 'unavailable') : undefined)
  for (const stream of [...platform.streams]) stream.close()
  platform.streams.clear()
  platform.remove(messages, 2)
  ratings.rate(id, 'up')
  await settle()
  expect([messageStore.messages.value[0]?.rating, messageStore.revision()]).toEqual(['up', 0])
  await browser.clock.advance(30_000)
  expect([messageStore.messages.value[1]?.text, messageStore.revision()]).toEqual(['', 2])
})

it('is shown in every tab, and forgotten with the session', async () => {
  const { tabs, messages, platform } = await tabsOfAda(2)
  const [first, second] = tabs
  const id = messages[0]?.id ?? ''
  conversationOf(first).ratings.rate(id, 'up')
  await settle()
  expect(conversationOf(second).messageStore.messages.value[0]?.rating).toBe('up')
  platform.down = true
  conversationOf(first).ratings.rate(id, 'down')
  await settle()
  platform.down = false
  await first.core.login(graceToken)
  await settle()
  expect([conversationOf(first).ratings.pending.value.size, messages[0]?.rating]).toEqual([0, 'up'])
})
