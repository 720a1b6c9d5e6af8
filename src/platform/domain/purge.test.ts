import { describe, expect, it } from 'vitest'
import { StoreUnavailableError } from '../store/store.ts'
import { createTestTenants, outcomeOf } from '../testing/testTenants.ts'

const minute = 60 * 1000
const hour = 60 * minute
const day = 24 * hour

describe('startPurge', () => {
  it('keeps for 30 days why a session was over, expired or revoked, then deletes it within the hour', async () => {
    const tenants = await createTestTenants()
    const { purge } = tenants.store
    let purged = Promise.resolve()
    tenants.store.purge = limits => {
      purged = purge(limits)
      return purged
    }
    const pass = async (ms: number) => {
      tenants.clock.advance(ms)
      await purged
      // The next hour starts when this purge is finished.
      await new Promise(resolve => setImmediate(resolve))
    }
    const visitor = await tenants.ours.visitorToken()
    const contact = await tenants.ours.contactToken((await tenants.ours.createContact()).id)
    const statuses = async () => {
      const tokens = [visitor, contact].map(token => tenants.ours.call('GET', '/widget/session', { token }))
      return Promise.all((await Promise.all(tokens)).map(outcomeOf))
    }

    await pass(day)
    // Its token would have been valid for a year.
    await tenants.ours.call('DELETE', `/auth/contacts/${contact}`)
    expect(await statuses()).toEqual(['401 token_expired', '401 token_revoked'])
    await pass(30 * day - hour)
    await pass(hour)
    expect(await statuses()).toEqual(['401 token_expired', '401 token_revoked'])
    await pass(hour)
    await pass(hour)
    expect(await statuses()).toEqual(['401 unauthorized', '401 unauthorized'])
    await tenants.close()
  })

  it('runs within a minute after the start, and then every hour', async () => {
    const tenants = await createTestTenants()
    let purges = 0
    tenants.store.purge = async () => void purges++
    const counts = [minute, hour - 2 * minute, minute].map(ms => {
      tenants.clock.advance(ms)
      return purges
    })
    expect(counts).toEqual([1, 1, 2])
    await tenants.close()
  })

  it('reports no outage if the store closes while it runs', async () => {
    const tenants = await createTestTenants()
    const purge = Promise.withResolvers<void>()
    tenants.store.purge = () => purge.promise
    tenants.clock.advance(minute)
    await tenants.platform.close()
    purge.reject(new StoreUnavailableError('The store is closed.'))
    await new Promise(resolve => setImmediate(resolve))
    expect(tenants.lines.filter(line => line.includes('the store'))).toEqual([])
    await tenants.close()
  })

  it('deletes the messages of a conversation after the configured days of silence, and none if not configured', async () => {
    for (const retentionDays of [undefined, 30]) {
      const tenants = await createTestTenants({ retentionDays })
      const requests: (string | undefined)[] = []
      tenants.store.purge = async ({ lastMessageBefore }) => void requests.push(lastMessageBefore)
      const before = new Date(tenants.clock.now() + hour - 30 * day).toISOString()
      tenants.clock.advance(hour)
      expect(requests.at(-1)).toEqual(retentionDays && before)
      await tenants.close()
    }
  })
})
