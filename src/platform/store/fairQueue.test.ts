import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { monotonicMs } from './callContext.ts'
import { createFairQueue, type FairQueueOptions } from './fairQueue.ts'
import { StoreBusyError, StoreUnavailableError } from './store.ts'

const createQueue = (options: Partial<FairQueueOptions>) =>
  createFairQueue({ name: 'calls', maxWaiting: 10, FullError: StoreBusyError, ...options })

/** Searches that end when they are told to, in the order in which they have started. */
function createSearches(options: Partial<FairQueueOptions> = {}) {
  const queue = createQueue(options)
  const started: string[] = []
  const running: PromiseWithResolvers<string>[] = []
  return {
    queue,
    started,
    ask(owner: string, name: string): Promise<string> {
      return queue.run(owner, monotonicMs() + 5000, () => {
        started.push(name)
        const search = Promise.withResolvers<string>()
        running.push(search)
        return search.promise
      })
    },
    /** Ends the running search and lets the next one start. */
    async end(error?: Error): Promise<void> {
      const search = running.shift()
      if (error) search?.reject(error)
      else search?.resolve('found')
      await new Promise(setImmediate)
    },
  }
}

// The clock of the deadlines. Timers are real: none expires during a test.
beforeEach(() => void vi.useFakeTimers({ toFake: ['hrtime'] }))
afterEach(() => void vi.useRealTimers())

describe('createFairQueue', () => {
  it('runs one at a time and alternates between owners', async () => {
    const { ask, started, end, queue } = createSearches()
    const all = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('c', 'c1'), ask('b', 'b2')]
    await new Promise(setImmediate)
    expect([started, queue.waiting]).toEqual([['a1'], 5])
    for (let count = 0; count < 6; count++) await end()
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
    expect(await Promise.all(all)).toEqual(Array(6).fill('found'))
    expect(queue.waiting).toBe(0)
  })

  it('runs as many at a time as configured', async () => {
    const { ask, started, end, queue } = createSearches({ maxConcurrent: 2 })
    const all = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1')]
    await new Promise(setImmediate)
    expect([started, queue.waiting]).toEqual([['a1', 'a2'], 2])
    for (let count = 0; count < 4; count++) await end()
    expect(started).toEqual(['a1', 'a2', 'a3', 'b1'])
    await Promise.all(all)
  })

  it('refuses an owner who has too many waiting, and nobody else', async () => {
    const { ask, started, end } = createSearches({ maxWaiting: 2 })
    const first = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3')]
    await expect(ask('a', 'a4')).rejects.toThrow(new StoreBusyError('Too many calls are waiting.'))
    const other = ask('b', 'b1')
    await end()
    const late = ask('a', 'a5')
    for (let count = 0; count < 4; count++) await end()
    await Promise.all([...first, other, late])
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'a5'])
  })

  it('refuses everybody while as many wait as may of all', async () => {
    const { ask, end } = createSearches({ maxWaitingOfAll: 2 })
    const first = [ask('a', 'a1'), ask('a', 'a2'), ask('b', 'b1')]
    await expect(ask('c', 'c1')).rejects.toThrow(StoreBusyError)
    await end()
    const late = ask('c', 'c2')
    for (let count = 0; count < 3; count++) await end()
    await Promise.all([...first, late])
  })

  it('replaces the last waiting call of the owner with the most when it is full', async () => {
    const { ask, started, end } = createSearches({ maxWaitingOfAll: 3 })
    const running = ask('a', 'a1')
    const [a2, a3, a4] = [ask('a', 'a2'), ask('a', 'a3'), ask('a', 'a4')]
    const dropped = expect(a4).rejects.toThrow(StoreBusyError)
    const b1 = ask('b', 'b1')
    await dropped
    for (let count = 0; count < 4; count++) await end()
    await Promise.all([running, a2, a3, b1])
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  it('leaves places for others though one owner has enough to take them all', async () => {
    const queue = createQueue({ maxConcurrent: 3, maxConcurrentPerOwner: 2 })
    const started: string[] = []
    const ending = Promise.withResolvers<void>()
    const ask = (owner: string) =>
      queue.run(owner, monotonicMs() + 60_000, () => {
        started.push(owner)
        return ending.promise
      })
    const all = ['a', 'a', 'a', 'b', 'b'].map(ask)
    await new Promise(setImmediate)
    expect(started).toEqual(['a', 'a', 'b'])
    ending.resolve()
    await Promise.all(all)
    expect(started).toEqual(['a', 'a', 'b', 'a', 'b'])
  })

  it('counts calls by their size, and lets no smaller one overtake one that waits for room', async () => {
    const queue = createQueue({ maxConcurrent: 10 })
    const started: string[] = []
    const ending = new Map<string, PromiseWithResolvers<void>>()
    const ask = (owner: string, size: number) => {
      const name = `${owner}${size}`
      ending.set(name, Promise.withResolvers<void>())
      const start = () => {
        started.push(name)
        return ending.get(name)?.promise ?? Promise.resolve()
      }
      return queue.run(owner, monotonicMs() + 60_000, start, size)
    }
    const all = [ask('a', 6), ask('b', 7), ask('c', 4), ask('d', 20)]
    const end = async (name: string) => {
      ending.get(name)?.resolve()
      await new Promise(setImmediate)
    }
    expect(started).toEqual(['a6'])
    await end('a6')
    expect(started).toEqual(['a6', 'b7'])
    await end('b7')
    expect(started).toEqual(['a6', 'b7', 'c4'])
    await end('c4')
    expect(started).toEqual(['a6', 'b7', 'c4', 'd20'])
    await end('d20')
    await Promise.all(all)
  })

  it('drops a call at its own deadline, though one before it has more time', async () => {
    const queue = createQueue({})
    const ending = Promise.withResolvers<string>()
    const first = queue.run('a', monotonicMs() + 30_000, () => ending.promise)
    const patient = queue.run('a', monotonicMs() + 30_000, async () => 'patient')
    const impatient = queue.run('a', monotonicMs() + 5_000, async () => 'impatient')
    vi.advanceTimersByTime(5_001)
    ending.resolve('first')
    await expect(impatient).rejects.toThrow(
      new StoreUnavailableError('The deadline passed before there was room: other calls came first.'),
    )
    expect(await Promise.all([first, patient])).toEqual(['first', 'patient'])
  })

  it('does not run what has waited too long', async () => {
    const { ask, started, end } = createSearches()
    const first = ask('a', 'a1')
    const late = expect(ask('a', 'a2')).rejects.toThrow(StoreUnavailableError)
    await new Promise(setImmediate)
    vi.advanceTimersByTime(5_001)
    const fresh = ask('a', 'a3')
    await end()
    await late
    await end()
    await Promise.all([first, fresh])
    expect(started).toEqual(['a1', 'a3'])
  })

  it('continues after one that fails', async () => {
    const { ask, started, end } = createSearches()
    const [one, two] = [ask('a', 'a1'), ask('a', 'a2')]
    const failed = expect(one).rejects.toThrow('broken')
    await new Promise(setImmediate)
    await end(new Error('broken'))
    await failed
    await end()
    expect(await two).toBe('found')
    expect(started).toEqual(['a1', 'a2'])
  })
})
