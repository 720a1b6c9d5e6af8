import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Store, StoreUnavailableError } from '../store/store.ts'
import { createTestTenants } from '../testing/testTenants.ts'
import { createUnreadNotices, presenceMs, type UnreadNotices } from './unread.ts'

const minute = 60_000

describe('createUnreadNotices', () => {
  let store: Store
  let conversationId: string
  let isStoreAway: boolean
  /** The conversations with a stream on the first of two nodes. */
  let streaming: string[]
  let nodes: [UnreadNotices, UnreadNotices]
  let notices: Promise<boolean>
  let time: number

  beforeEach(async () => {
    // Its clock does not run by itself, so the platform does nothing here.
    const tenants = await createTestTenants()
    isStoreAway = false
    streaming = []
    const { recordPresence, enqueueUnreadNotices } = tenants.store
    notices = Promise.resolve(false)
    store = {
      ...tenants.store,
      async recordPresence(conversationIds, at) {
        if (isStoreAway) throw new StoreUnavailableError('away')
        await recordPresence(conversationIds, at)
      },
      enqueueUnreadNotices(state) {
        notices = enqueueUnreadNotices(state)
        return notices
      },
    }
    const { bot, ...ours } = tenants.ours
    await store.updateBot(bot.id, { events: { url: 'https://example.com/events', secret: 'whsec_a' } })
    const { id } = await ours.createContact()
    const sent = await ours.call('POST', `/contacts/${id}/messages`, { json: { id: randomUUID(), text: 'Hello?' } })
    expect(sent.status).toBe(201)
    const scope = { organizationId: bot.organizationId, botId: bot.id }
    conversationId = (await store.findBotConversation(scope, { contactId: id }))?.id ?? ''
    const createNode = (listStreaming: () => string[]) =>
      createUnreadNotices({
        ...{ store, clock, unreadAfterMs: 10 * minute, sendsEmails: false, listStreaming },
        onError(error) {
          throw error
        },
      })
    const clock = { ...tenants.clock, now: () => time }
    time = tenants.clock.now()
    nodes = [createNode(() => streaming), createNode(() => [])]
  })

  /** Passes time in rounds of these nodes. */
  async function pass(ms: number, ...running: UnreadNotices[]): Promise<void> {
    for (let passed = 0; passed < ms; passed += presenceMs) {
      time += presenceMs
      for (const node of running) await node.runRound().catch(() => {})
      // Lets the notices end, for which a round does not wait.
      await new Promise(setImmediate)
      await notices
    }
  }
  const deliveredEvents = async () => {
    const limits = { all: 9, perQueue: 9, except: [], emails: true }
    const now = new Date(time).toISOString()
    return (await store.leaseDeliveries('me', now, now, limits)).map(({ event }) => event.type)
  }

  it.each([false, true])('tells of a contact who has left (its node was killed: %j)', async isKilled => {
    streaming = [conversationId]
    await pass(15 * minute, ...nodes)
    expect(await deliveredEvents()).toEqual([])
    if (!isKilled) streaming = []
    await pass(2 * minute, ...(isKilled ? [nodes[1]] : nodes))
    expect(await deliveredEvents()).toEqual(['message.unread'])
  })

  it('does not take a contact on another node for absent after an outage of the store, nor after one missed round', async () => {
    const [first, second] = nodes
    streaming = [conversationId]
    await pass(15 * minute, first, second)
    isStoreAway = true
    await pass(5 * minute, first, second)
    isStoreAway = false
    // The second node is the first to try again.
    for (let round = 0; round < 4; round++) await pass(presenceMs, second, first)
    expect(await deliveredEvents()).toEqual([])
    await pass(presenceMs, second)
    await pass(presenceMs, second, first)
    expect(await deliveredEvents()).toEqual([])
  })

  it('takes a contact whose page polls for present', async () => {
    for (let round = 0; round < 30; round++) {
      nodes[0].notePoll(conversationId)
      await pass(presenceMs, ...nodes)
    }
    expect(await deliveredEvents()).toEqual([])
    await pass(2 * minute, ...nodes)
    expect(await deliveredEvents()).toEqual(['message.unread'])
  })
})

it('a page that gets no stream counts as open when it asks for messages', async () => {
  const { ours, clock, store } = await createTestTenants()
  const recorded: string[] = []
  store.recordPresence = async conversationIds => void recorded.push(...conversationIds)
  const token = await ours.contactToken((await ours.createContact()).id)
  const anonymous = await ours.visitorToken()
  for (const each of [token, anonymous])
    await ours.call('POST', '/widget/messages/list', { token: each, json: { nonce: 'mZk3xT0qVb8Lr2Nw6YcPdA' } })
  clock.advance(presenceMs)
  await expect.poll(() => recorded).toHaveLength(2)
})
