import { describe, expect, it } from 'vitest'
import { createManualClock, createTestTenants, outcomeOf } from '../testing/testTenants.ts'
import { monotonicMs, withDeadline } from './callContext.ts'
import { createSqliteStore } from './sqlite/sqliteStore.ts'
import type { Store } from './store.ts'

/** A store that forwards to a real one until it is told to hang. */
async function start() {
  const real = await createSqliteStore({ file: ':memory:' })
  let hangs = false
  const entries = Object.entries(real).map(([name, method]: [string, (...args: unknown[]) => unknown]) => [
    name,
    (...args: unknown[]) =>
      hangs && name !== 'close' && name !== 'queueDepth' ? new Promise(() => {}) : method(...args),
  ])
  const clock = createManualClock()
  const settled: [string, string, number][] = []
  const store = withDeadline(Object.fromEntries(entries) as Store, {
    clock,
    onSettled: (...call) => settled.push(call),
  })
  const hang = (value: boolean) => {
    hangs = value
  }
  return { store, clock, settled, hang, close: real.close }
}

describe('withDeadline', () => {
  it('gives up a call after 5 s, an upsert after 30 s, a purge never, and accepts the next calls', async () => {
    const { store, clock, settled, hang, close } = await start()
    expect(await store.listBots()).toEqual([])
    hang(true)
    const outcomes: string[] = []
    const watch = (name: string, call: Promise<unknown>) =>
      call.then(
        () => outcomes.push(`${name} done`),
        (error: Error) => outcomes.push(`${name} ${error.name}`),
      )
    const scope = { organizationId: 'o', botId: 'b' }
    const first = watch('first', store.findBot('b'))
    clock.advance(2_000)
    const second = watch('second', store.ping())
    const upsert = watch('upsert', store.upsertContacts(scope, []))
    void watch('purge', store.purge({ now: '', endedBefore: '' }))
    clock.advance(2_999)
    await Promise.resolve()
    expect(outcomes).toEqual([])
    clock.advance(1)
    await first
    expect(outcomes).toEqual(['first StoreUnavailableError'])
    clock.advance(2_000)
    await second
    clock.advance(25_000)
    await upsert
    clock.advance(24 * 60 * 60 * 1000)
    await Promise.resolve()
    expect(outcomes.slice(1)).toEqual(['second StoreUnavailableError', 'upsert StoreUnavailableError'])
    hang(false)
    expect(await store.listBots()).toEqual([])
    expect(settled).toEqual([
      ['listBots', 'ok', 0],
      ['findBot', 'unavailable', 5_000],
      ['ping', 'unavailable', 5_000],
      ['upsertContacts', 'unavailable', 30_000],
      ['listBots', 'ok', 0],
    ])
    await close()
  })

  it("gives up the calls of a request at the request's own deadline, and starts none after it", async () => {
    const clock = createManualClock()
    const real = await createSqliteStore({ file: ':memory:' })
    let begun = 0
    real.findBot = () => {
      begun++
      return new Promise(() => {})
    }
    let remainingMs = 700
    const store = withDeadline(real, {
      clock,
      onSettled: () => {},
      contextOfRequest: () => ({ owner: 'o', deadline: monotonicMs() + remainingMs }),
    })
    let outcome = ''
    const call = store.findBot('b').catch((error: Error) => {
      outcome = error.name
    })
    clock.advance(699)
    await Promise.resolve()
    expect(outcome).toBe('')
    clock.advance(1)
    await call
    expect(outcome).toBe('StoreUnavailableError')
    remainingMs = 0
    await expect(store.findBot('b')).rejects.toThrow('No time was left')
    expect(begun).toBe(1)
    await real.close()
  })

  it('reports a call that throws at once when it fails, and not a second time at its deadline', async () => {
    const { store: real, clock, close } = await start()
    const settled: [string, string, number][] = []
    const failing: Store = {
      ...real,
      ping() {
        throw new Error('broken')
      },
    }
    const store = withDeadline(failing, { clock, onSettled: (...call) => settled.push(call) })
    await expect(store.ping()).rejects.toThrow('broken')
    clock.advance(60_000)
    expect(settled).toEqual([['ping', 'failed', 0]])
    await close()
  })

  it('passes on the rejection of a call, and reports how it ended', async () => {
    const { store, settled, close } = await start()
    await store.close()
    await expect(store.findBot('b')).rejects.toThrow('closed')
    expect(settled).toEqual([['findBot', 'unavailable', 0]])
    expect(store.queueDepth()).toBe(0)
    await close()
  })

  it('makes a platform with a hanging store return 503 in time, and recover without a restart', async () => {
    const { store, clock, hang, close } = await start()
    const tenants = await createTestTenants({ store })
    const outcomes = () => {
      const ready = tenants.platform.fetch(new Request('http://natter.test/readyz'))
      return Promise.all([
        ready,
        tenants.ours.call('POST', '/contacts'),
        tenants.ours.call('GET', '/widget', { token: '' }),
      ])
    }
    const statuses = async () => (await outcomes()).map(({ status }) => status)
    expect(await statuses()).toEqual([200, 200, 200])
    hang(true)
    const hanging = outcomes()
    clock.advance(5_000)
    for (const response of await hanging) {
      expect(response.headers.get('retry-after')).toBe('2')
      expect(await outcomeOf(response)).toBe('503 unavailable')
    }
    hang(false)
    expect(await statuses()).toEqual([200, 200, 200])
    await tenants.close()
    await close()
  })
})
