/** Returns a function that calls `run`, but never twice at the same time. Calls during a run share the next run. */
export function singleFlight(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = (): Promise<void> => {
    next = undefined
    current = run().finally(() => {
      current = undefined
    })
    return current
  }
  return () => {
    if (!current) return start()
    next ??= current.then(start, start)
    return next
  }
}
