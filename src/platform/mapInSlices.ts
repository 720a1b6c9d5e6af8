import { setImmediate } from 'node:timers/promises'

/** Ours: other requests wait no longer than this for the items of one. */
const sliceMs = 10

/** Maps items in order, and lets the event loop go on whenever that has taken a while. */
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
