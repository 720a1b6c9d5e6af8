import { describe, expect, it } from 'vitest'
import { singleFlight } from './singleFlight.ts'

function createRuns() {
  const runs: PromiseWithResolvers<void>[] = []
  const ask = singleFlight(() => {
    const run = Promise.withResolvers<void>()
    runs.push(run)
    return run.promise
  })
  return { runs, ask }
}

describe('singleFlight', () => {
  it('runs once more for all callers that arrived while it was running', async () => {
    const { runs, ask } = createRuns()
    const first = ask()
    const later = [ask(), ask()]
    expect(runs).toHaveLength(1)
    runs[0]?.resolve()
    await first
    await Promise.resolve()
    expect(runs).toHaveLength(2)
    runs[1]?.resolve()
    await Promise.all(later)
    expect(runs).toHaveLength(2)
    void ask()
    expect(runs).toHaveLength(3)
  })

  it('never runs twice at once, even for a call that comes at the very end of a run', async () => {
    const { runs, ask } = createRuns()
    const calls = [ask(), ask()]
    runs[0]?.resolve()
    let open = 0
    for (let step = 0; step < 10; step++) {
      await Promise.resolve()
      calls.push(ask())
      open = Math.max(open, runs.length - 1)
    }
    expect(open).toBe(1)
    runs[1]?.resolve()
    await calls[1]
    await Promise.resolve()
    runs[2]?.resolve()
    await Promise.all(calls)
    expect(runs).toHaveLength(3)
  })

  it('rejects only the callers of a failed run', async () => {
    const { runs, ask } = createRuns()
    const [first, second] = [ask(), ask()]
    runs[0]?.reject(new Error('no'))
    await expect(first).rejects.toThrow('no')
    await Promise.resolve()
    runs[1]?.resolve()
    await second
  })
})
