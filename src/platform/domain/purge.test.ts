import { describe, expect, it } from 'vitest'
import { createCast, outcomeOf } from '../fixtures.ts'

const minute = 60 * 1000
const hour = 60 * minute
const day = 24 * hour

describe('startPurge (decisions 2)', () => {
  it('keeps for 90 days why a session has ended, then forgets it within the hour', async () => {
    const cast = await createCast()
    const { purge } = cast.store
    let purged = Promise.resolve()
    cast.store.purge = limits => {
      purged = purge(limits)
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

  it('runs within a minute of the start, and then every hour', async () => {
    const cast = await createCast()
    let purges = 0
    cast.store.purge = async () => void purges++
    const counts = [minute, hour - 2 * minute, minute].map(ms => {
      cast.clock.advance(ms)
      return purges
    })
    expect(counts).toEqual([1, 1, 2])
    await cast.close()
  })

  it('forgets the messages of a conversation after so many days of silence, and none where nothing is said of it', async () => {
    for (const retentionDays of [undefined, 30]) {
      const cast = await createCast({ retentionDays })
      const asked: (string | undefined)[] = []
      cast.store.purge = async ({ silentSince }) => void asked.push(silentSince)
      const before = new Date(cast.clock.now() + hour - 30 * day).toISOString()
      cast.clock.advance(hour)
      expect(asked.at(-1)).toEqual(retentionDays && before)
      await cast.close()
    }
  })
})
