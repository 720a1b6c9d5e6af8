import { describe, expect, it } from 'vitest'
import { prepareDevelopment } from './development.ts'
import { createSqliteStore } from './store/sqlite/sqliteStore.ts'

describe('prepareDevelopment', () => {
  it.each([true, false])('offers quick replies about the shop only if there is content: %s', async content => {
    const store = await createSqliteStore({ file: ':memory:' })
    const { botId } = await prepareDevelopment(store, { content })
    const bot = await store.findBot(botId)
    expect(bot?.quickReplies.length).toBe(content ? 3 : 0)
    expect(bot?.greeting).toMatch(content ? /orders, returns or sizes/ : /^Hello!\nHow can we help\?$/)
    await store.close()
  })

  it.each([true, false])('turns on what only a bot that shows everything has: %s', async showcase => {
    const store = await createSqliteStore({ file: ':memory:' })
    const { botId } = await prepareDevelopment(store, { showcase })
    const settings = { attachments: showcase, handover: showcase, ratings: showcase }
    expect(await store.findBot(botId)).toMatchObject(settings)
    // A bot that exists already keeps its settings.
    await prepareDevelopment(store, { showcase: !showcase })
    expect(await store.findBot(botId)).toMatchObject(settings)
    await store.close()
  })

  it('uses the existing bot, and reports its name and organization', async () => {
    const store = await createSqliteStore({ file: ':memory:' })
    const first = await prepareDevelopment(store)
    const { organizationToken, ...again } = await prepareDevelopment(store)
    expect(again).toEqual({ botId: first.botId, botName: 'Acme Outfitters', organizationId: first.organizationId })
    expect(organizationToken).not.toBe(first.organizationToken)
    await store.close()
  })
})
