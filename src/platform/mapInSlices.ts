import { setImmediate } from 'node:timers/promises'

/** The longest time that other requests wait for the items of one request. */
const sliceMs = 10

/** Maps items in order. Gives way to other work on the event loop after every 10 ms. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let start = performance.now()
  for (const [index, item] of items.entries()) {
    if (performance.now() - start > sliceMs) {
      await setImmediate()
      start = performance.now()
    }
    results.push(map(item, index))
  }
  return results
}
