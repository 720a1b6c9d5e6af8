import { beforeEach, describe, expect, it } from 'vitest'
import { createCleanup } from './cleanup.ts'
import type { Clock } from './clock.ts'

describe('createCleanup', () => {
  let closed: string[]
  let endOfTime = (): void => {}
  const clock: Pick<Clock, 'setTimeout'> = {
    setTimeout(run) {
      endOfTime = run
      return () => {}
    },
  }
  const start = () => createCleanup(clock)
  beforeEach(() => {
    closed = []
  })

  it('closes the last first, and all of them if one cannot be closed', async () => {
    const cleanup = start()
    cleanup.add('store', () => closed.push('store'))
    cleanup.add('platform', () => Promise.reject(new Error('platform')))
    cleanup.add('server', async () => closed.push('server'))
    await expect(cleanup.close()).rejects.toThrow('platform')
    expect(closed).toEqual(['server', 'store'])
    expect(await cleanup.close()).toEqual([])
  })

  it('does not wait for what is not closed in time, names it, and closes the rest', async () => {
    const cleanup = start()
    cleanup.add('store', () => closed.push('store'))
    cleanup.add('server', () => new Promise(() => {}))
    const closing = cleanup.close()
    endOfTime()
    expect(await closing).toEqual(['server'])
    expect(closed).toEqual(['store'])
  })
})
