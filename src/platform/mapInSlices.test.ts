import { expect, it } from 'vitest'
import { mapInSlices } from './mapInSlices.ts'

/** Keeps the event loop busy for more than a slice. */
function work(): void {
  for (const start = performance.now(); performance.now() - start < 15; );
}

it('lets the event loop go on between items that take long, and keeps their order', async () => {
  let turns = 0
  const count = (): void => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const mapped = await mapInSlices(['a', 'b', 'c', 'd'], (item, index) => {
    work()
    return `${index}${item}`
  })
  clearImmediate(next)
  expect(mapped).toEqual(['0a', '1b', '2c', '3d'])
  expect(turns).toBeGreaterThanOrEqual(2)
})
