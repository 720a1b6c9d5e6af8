import { describe, expect, it } from 'vitest'
import { createMemoryBus } from '../bus/memory.ts'
import { StoreUnavailableError } from '../store/store.ts'
import { createManualClock, createTestTenants, outcomeOf } from '../testing/testTenants.ts'
import { createMaintenance, presenceRoundMs } from './maintenance.ts'

const minute = 60 * 1000
const hour = 60 * minute
const day = 24 * hour

const nothingToErase = { listInterruptedDeletions: async () => [], deleteContact: async () => 'not_found' as const }

describe('the purge', () => {
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
  })

  it('runs within a minute after the start, and every hour after that', async () => {
    const tenants = await createTestTenants()
    let purges = 0
    tenants.store.purge = async () => void purges++
    const counts: number[] = []
    for (const ms of [minute, hour - 2 * minute, 2 * minute]) {
      tenants.clock.advance(ms)
      // The next hour starts when this purge is finished.
      await new Promise(resolve => setImmediate(resolve))
      counts.push(purges)
    }
    expect(counts).toEqual([1, 1, 2])
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
  })

  it('deletes the messages of a conversation after the configured days of silence, and none if not configured', async () => {
    for (const retentionDays of [undefined, 30]) {
      const tenants = await createTestTenants({ retentionDays })
      const daysOfSilence: (number | undefined)[] = []
      tenants.store.purge = async ({ now, lastMessageBefore }) => {
        daysOfSilence.push(lastMessageBefore ? (Date.parse(now) - Date.parse(lastMessageBefore)) / day : undefined)
      }
      tenants.clock.advance(minute)
      expect(daysOfSilence).toEqual([retentionDays])
    }
  })
})

describe('the release of conversations', () => {
  it.each(['a start', 'a pause', 'a jump of the clock', 'an outage of the store'])(
    'waits after %s until it has been recorded twice who is at the desk',
    async after => {
      const clock = createManualClock()
      let [releases, isDown] = [0, false]
      const answer = async <Value>(value: Value): Promise<Value> => {
        if (isDown) throw new StoreUnavailableError('as asked')
        return value
      }
      const store = {
        now: () => answer(clock.now()),
        purge: async () => {},
        ...nothingToErase,
        expirePauses: async () => [],
        async releaseConversations() {
          await answer(null)
          releases++
          return []
        },
      }
      const options = { store, bus: createMemoryBus(), clock, handoverTimeoutMs: 1, onSkew() {} }
      const { releaseConversations } = createMaintenance(options)
      /** Sweeps once a second, and returns how often conversations were released. */
      const sweep = async (seconds: number): Promise<number> => {
        releases = 0
        for (let second = 0; second < seconds; second++) {
          clock.advance(1000)
          await releaseConversations().catch(() => {})
        }
        return releases
      }
      const roundsSeconds = (2 * presenceRoundMs) / 1000
      if (after !== 'a start') expect(await sweep(roundsSeconds + 10)).toBe(10)
      if (after === 'a pause') clock.advance(11 * minute)
      if (after === 'a jump of the clock') clock.jump(11 * minute)
      isDown = after === 'an outage of the store'
      if (isDown) await sweep(11 * 60)
      isDown = false
      expect(await sweep(roundsSeconds)).toBe(0)
      expect(await sweep(1)).toBe(1)
    },
  )
})

describe("a clock that differs from the store's", () => {
  it('is reported once, and once when they agree again, but not after a slow answer', async () => {
    const clock = createManualClock()
    const reported: number[] = []
    let [differenceMs, answerMs] = [0, 0]
    const store = {
      async now() {
        const now = clock.now() + differenceMs
        clock.advance(answerMs)
        return now
      },
      purge: async () => {},
      ...nothingToErase,
      releaseConversations: async () => [],
      expirePauses: async () => [],
    }
    const onSkew = (aheadMs: number) => void reported.push(aheadMs)
    const { checkClock } = createMaintenance({ store, bus: createMemoryBus(), clock, handoverTimeoutMs: 1, onSkew })
    for (const difference of [0, -1999, 3000, 4000, 0, -3000, 0]) {
      differenceMs = difference
      await checkClock()
    }
    expect(reported).toEqual([-3000, 0, 3000, 0])
    // Ahead by 1.4 s: half of the time that the answer takes does not count.
    ;[differenceMs, answerMs] = [-1400, 900]
    await checkClock()
    answerMs = 4000
    await checkClock()
    expect(reported).toHaveLength(4)
  })
})
