/** Returns a function that calls `run`, but never twice at the same time. Calls during a run share the next run. */
export function singleFlight(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined
  let next: PromiseWithResolvers<void> | undefined
  const start = (): Promise<void> => {
    current = run().finally(() => {
      current = undefined
      const queued = next
      next = undefined
      // Start it here: a call between the end of this run and the start of the next would run beside that one.
      queued?.resolve(start())
    })
    return current
  }
  return () => {
    if (!current) return start()
    next ??= Promise.withResolvers<void>()
    return next.promise
  }
}
