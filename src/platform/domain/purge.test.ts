import { describe, expect, it } from 'vitest'
import { createCast, outcomeOf } from '../fixtures.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour

describe('startPurge (decisions 2)', () => {
  it('keeps for 90 days why a session has ended, then forgets it within the hour', async () => {
    const cast = await createCast()
    const { purge } = cast.store
    let purged = Promise.resolve()
    cast.store.purge = endedBefore => {
      purged = purge(endedBefore)
      return purged
    }
    const pass = async (ms: number) => {
      cast.clock.advance(ms)
      await purged
      // The next hour is counted from when this one's purge is done.
      await new Promise(resolve => setImmediate(resolve))
    }
    const token = await cast.ours.visitorToken()
    const status = async () => outcomeOf(await cast.ours.call('GET', '/widget/session', { token }))

    await pass(day)
    expect(await status()).toBe('401 token_expired')
    await pass(90 * day - hour)
    await pass(hour)
    expect(await status()).toBe('401 token_expired')
    await pass(hour)
    await pass(hour)
    expect(await status()).toBe('401 unauthorized')
    await cast.close()
  })
})
