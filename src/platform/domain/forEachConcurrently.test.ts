import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { forEachConcurrently } from './forEachConcurrently.ts'

it('runs as many items at a time as it may, and all of them', async () => {
  let running = 0
  let most = 0
  const done: number[] = []
  await forEachConcurrently([1, 2, 3, 4, 5, 6, 7], 3, async item => {
    most = Math.max(most, ++running)
    await setImmediate()
    running--
    done.push(item)
  })
  expect(most).toBe(3)
  expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
})

it('runs the other items where one fails, and throws the first error', async () => {
  const done: number[] = []
  const running = forEachConcurrently([1, 2, 3, 4], 2, async item => {
    if (item < 3) throw new Error(`item ${item}`)
    done.push(item)
  })
  await expect(running).rejects.toThrow('item 1')
  expect(done).toEqual([3, 4])
})
