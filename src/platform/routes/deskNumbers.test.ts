import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Numbers } from '../../contract/deskNumbers.ts'
import { createMember } from '../testing/createMember.ts'
import { startTalk } from '../testing/startTalk.ts'
import { dataOf, outcomeOf } from '../testing/testTenants.ts'

/** A contact's question was answered by the bot, and rated; a guest has written to another bot of the organization. */
async function start() {
  const talk = await startTalk()
  const { tenants, ours, token } = talk
  await talk.store.updateBot(ours.bot.id, { ratings: true })
  await talk.send('Where is my order?')
  await talk.asked(0)
  await talk.finish('I do not know')
  const { id } = await talk.reply()
  await ours.call('POST', '/widget/rating', { token, json: { id, rating: 'down' } })
  await tenants.sibling.send(await tenants.sibling.visitorToken(), 'Hello')
  const admin = await createMember(tenants, { role: 'admin' })
  return { ...talk, admin, numbers: (query = '') => dataOf<Numbers>(admin.call('GET', `/numbers${query}`)) }
}

it('shows the numbers of the last days, today included, of all bots or one', async () => {
  const { ours, clock, contact, numbers } = await start()
  const all = await numbers()
  expect(all).toMatchObject({ waiting: 0, total: { conversations: 2, byBot: 1, up: 0, down: 1, firstAnswer: null } })
  const own = await numbers(`?days=7&bot=${ours.bot.id}`)
  expect(own.days).toHaveLength(7)
  expect(own.days.at(-1)).toMatchObject({ date: new Date(clock.now()).toISOString().slice(0, 10), conversations: 1 })
  expect(own.days[0]).toMatchObject({ conversations: 0, firstAnswer: null })
  expect(own.unanswered).toMatchObject([{ question: 'Where is my order?', contactName: contact.name }])
})

it('counts the days of the member’s clock', async () => {
  const { clock, numbers } = await start()
  for (const offset of [840, -840]) {
    const date = new Date(clock.now() + offset * 60_000).toISOString().slice(0, 10)
    expect((await numbers(`?offset=${offset}`)).days.at(-1)).toMatchObject({ date, conversations: 2 })
  }
})

it('shows nothing of another organization', async () => {
  const { tenants, ours, admin } = await start()
  const { organizationId, id } = tenants.otherOrganization.bot
  const foreign = await createMember(tenants, { role: 'admin', organizationId })
  const numbers = await dataOf<Numbers>(foreign.call('GET', '/numbers'))
  expect(numbers).toMatchObject({ total: { conversations: 0, down: 0 }, unanswered: [] })
  expect(await outcomeOf(foreign.call('GET', `/numbers?bot=${ours.bot.id}`))).toBe('404 not_found')
  for (const bot of [id, randomUUID(), 'x'])
    expect(await outcomeOf(admin.call('GET', `/numbers?bot=${bot}`))).toBe('404 not_found')
})

it.each(['days=8', 'offset=841', 'offset=x', 'zone=UTC'])('refuses ?%s', async query => {
  const { admin } = await start()
  expect(await outcomeOf(admin.call('GET', `/numbers?${query}`))).toBe('400 invalid_request')
})
