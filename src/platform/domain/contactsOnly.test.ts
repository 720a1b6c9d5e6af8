import { beforeEach, describe, expect, it } from 'vitest'
import { sweepMs } from '../platform.ts'
import { endpointsOf, requestTo } from '../testing/endpointRequests.ts'
import { advanceUntil, createTestTenants, outcomeOf, silentBus, type TestTenants } from '../testing/testTenants.ts'
import { timestamp } from './time.ts'

let tenants: TestTenants
beforeEach(async () => {
  // The command line that changes the setting has no bus.
  tenants = await createTestTenants({ bus: silentBus() })
})

const setVisitors = (visitors: 'everyone' | 'contacts') =>
  tenants.store.setVisitors(tenants.ours.bot.id, visitors, timestamp(tenants.clock.now()))

describe('a bot for contacts only', () => {
  it('ends the open streams of anonymous visitors with the next sweep, and no others', async () => {
    expect(sweepMs).toBeLessThan(1000)
    const { ours, clock } = tenants
    const ada = await ours.contactToken((await ours.createContact()).id)
    const [visitor, contact] = [await ours.events(await ours.visitorToken()), await ours.events(ada)]
    await setVisitors('contacts')
    const ended = await advanceUntil(clock, sweepMs, visitor.nextOf('session.ended'))
    expect(ended.data).toEqual({ reason: 'revoked' })
    expect(await visitor.next()).toBeUndefined()
    await ours.send(ada, 'Still here')
    const message = await advanceUntil(clock, sweepMs, contact.nextOf('message'))
    expect(message.data).toMatchObject({ text: 'Still here' })
    await contact.cancel()
  })

  it('lets an anonymous visitor use no endpoint, not even with a session that slipped through', async () => {
    const { ours, platform, store } = tenants
    const ended = await ours.visitorToken()
    const { findSession } = store
    await setVisitors('contacts')
    // As if it had been created on another node at that very moment.
    store.findSession = async hash => {
      const session = await findSession(hash)
      return session && { ...session, ended: null }
    }
    for (const endpoint of endpointsOf('widget')) {
      const response = await requestTo(platform, endpoint, { botId: ours.bot.id }, `Bearer ${ended}`)
      expect([endpoint[0], await outcomeOf(response)]).toEqual([endpoint[0], '401 token_revoked'])
    }
  })
})
