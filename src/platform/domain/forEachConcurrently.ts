/**
 * Calls `run` for each item, for at most `limit` items at a time. After an error the other items are still processed; the
 * first error is thrown when all are done.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  limit: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  const errors: unknown[] = []
  const work = async (): Promise<void> => {
    for (let next = rest.next(); !next.done; next = rest.next())
      await run(next.value).catch(error => void errors.push(error))
  }
  await Promise.all(Array.from({ length: limit }, work))
  if (errors.length > 0) throw errors[0]
}
